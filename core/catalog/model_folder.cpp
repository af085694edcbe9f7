#include "core/catalog/model_folder.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "core/families/family.h"
#include "core/protocol/field_reader.h"
#include "core/protocol/render_request.h"

namespace reelgrid::catalog {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::uint64_t kMaxHeaderBytes = 100u << 20;

/// Adds one safetensors file's element count and dtypes to `component`. The header is only counted here; the
/// loader checks it. A damaged one is left out of the count.
void countTensors(const fs::path& file, ComponentInfo& component, std::set<std::string>& dtypes) {
    std::ifstream stream(file, std::ios::binary);
    std::uint64_t length = 0;
    stream.read(reinterpret_cast<char*>(&length), sizeof length);
    if (!stream || length > kMaxHeaderBytes || length > component.bytes) return;
    std::string header(length, '\0');
    stream.read(header.data(), static_cast<std::streamsize>(length));
    const json parsed = json::parse(header, nullptr, false);
    if (!stream || !parsed.is_object()) return;
    for (const auto& [name, entry] : parsed.items()) {
        if (name == "__metadata__" || !entry.is_object()) continue;
        const auto shape = entry.find("shape");
        const auto dtype = entry.find("dtype");
        if (shape == entry.end() || !shape->is_array() || dtype == entry.end() || !dtype->is_string())
            continue;
        std::int64_t elements = 1;
        bool sound = true;
        for (const json& extent : *shape)
            sound = sound && extent.is_number_unsigned() &&
                    !__builtin_mul_overflow(elements, extent.get<std::int64_t>(), &elements);
        if (!sound) continue;
        component.parameters += elements;
        dtypes.insert(dtype->get<std::string>());
    }
}

ComponentInfo readComponent(const fs::path& folder, const std::string& name, const std::string& className) {
    ComponentInfo component{.name = name, .className = className, .bytes = 0, .parameters = 0, .dtypes = {}};
    std::vector<fs::path> weights;
    std::error_code failed;
    for (const auto& entry : fs::directory_iterator(folder / name, failed)) {
        if (!entry.is_regular_file(failed)) continue;
        component.bytes += entry.file_size(failed);
        if (entry.path().extension() == ".safetensors") weights.push_back(entry.path());
    }
    std::set<std::string> dtypes;
    for (const fs::path& file : weights) countTensors(file, component, dtypes);
    component.dtypes.assign(dtypes.begin(), dtypes.end());
    return component;
}

/// The model's own title and defaults: what a folder says of itself in reelgrid.json.
Result<void> readOwnDefaults(const fs::path& file, ModelInfo& model) {
    std::error_code failed;
    if (!fs::exists(file, failed)) return {};
    auto own = families::readJsonObject(file);
    if (!own) return own.error();
    protocol::FieldReader fields(*own, file.string(), ErrorCode::InvalidData);
    fields.text("title", model.title);
    if (auto read = fields.finish(); !read) return read.error();
    return protocol::readRenderDefaults(*own, file.string(), model.defaults);
}

/// "WanPipeline (Wan 2.1 text-to-video)"
std::string supportedPipelines() {
    std::string text;
    for (const families::Family& family : families::families())
        text += (text.empty() ? "" : ", ") + std::string(family.pipelineClass) + " (" +
                std::string(family.title) + ")";
    return text;
}

Result<const families::Family*> familyOf(const families::ModelIndex& index) {
    for (const families::Family& family : families::families())
        if (family.recognises(index)) return &family;
    return Error{ErrorCode::Unsupported, "model " + index.folder().string() + ": its pipeline class is " +
                                             index.pipelineClass() + ", this version runs " +
                                             supportedPipelines()};
}

}  // namespace

Result<ModelInfo> readModelFolder(const fs::path& folder) {
    auto index = families::ModelIndex::read(folder);
    if (!index) return index.error();
    auto family = familyOf(*index);
    if (!family) return family.error();
    const families::Family& mine = **family;

    std::vector<ComponentInfo> components;
    for (const std::string_view each : mine.components) {
        const std::string name(each);
        std::error_code failed;
        if (index->classOf(name).empty() || !fs::is_directory(folder / name, failed))
            return Error{ErrorCode::InvalidData, "model " + folder.string() + ": it has no " + name + ", a " +
                                                     std::string(mine.title) + " folder needs one"};
        components.push_back(readComponent(folder, name, index->classOf(name)));
    }
    auto model = mine.describe(*index);
    if (!model) return model.error();
    model->id = folder.string();
    model->folder = folder;
    model->title = folder.filename().string();
    model->components = std::move(components);
    if (auto own = readOwnDefaults(folder / "reelgrid.json", *model); !own) return own.error();
    return model;
}

}  // namespace reelgrid::catalog
