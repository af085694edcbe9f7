#include "core/catalog/model_folder.h"

#include <algorithm>
#include <set>

#include "core/base/folder.h"
#include "core/base/json.h"
#include "core/families/family.h"
#include "core/protocol/field_reader.h"
#include "core/protocol/render_request.h"
#include "core/safetensors/header.h"

namespace reelgrid::catalog {
namespace {

namespace fs = std::filesystem;

/// Adds one safetensors file's element count and dtypes to `component`. The header is only counted here, the
/// loader says what is wrong with it: a damaged one is left out of the count.
void countTensors(const fs::path& file, families::ComponentInfo& component, std::set<std::string>& dtypes) {
    const auto tensors = safetensors::readHeaderOf(file);
    if (!tensors) return;
    for (const auto& [name, tensor] : *tensors) {
        component.parameters += static_cast<std::int64_t>(tensor.elements());
        dtypes.insert(nameOf(tensor.dtype));
    }
}

families::ComponentInfo readComponent(const fs::path& folder, const std::string& name,
                                      const std::string& className) {
    families::ComponentInfo component{
        .name = name, .className = className, .bytes = 0, .parameters = 0, .dtypes = {}};
    const auto files = entriesOf(folder / name);
    if (!files) return component;
    std::set<std::string> dtypes;
    for (const auto& file : *files) {
        std::error_code failed;
        if (!file.is_regular_file(failed)) continue;
        component.bytes += file.file_size(failed);
        if (file.path().extension() == ".safetensors") countTensors(file.path(), component, dtypes);
    }
    component.dtypes.assign(dtypes.begin(), dtypes.end());
    return component;
}

/// The model's own title and defaults: what a folder says of itself in reelgrid.json.
Result<void> readOwnDefaults(const fs::path& file, families::ModelInfo& model) {
    std::error_code failed;
    if (!fs::exists(file, failed)) return {};
    auto own = readJsonObject(file);
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

Result<std::vector<std::string>> neededComponents(const families::ModelIndex& index) {
    const auto family = familyOf(index);
    if (!family) return family.error();
    return std::vector<std::string>((*family)->components.begin(), (*family)->components.end());
}

Result<families::ModelInfo> readModelFolder(const fs::path& folder) {
    auto index = families::ModelIndex::read(folder);
    if (!index) return index.error();
    auto family = familyOf(*index);
    if (!family) return family.error();
    const families::Family& mine = **family;

    std::vector<families::ComponentInfo> components;
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
