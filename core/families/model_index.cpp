#include "core/families/model_index.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/base/json.h"
#include "core/base/link_check.h"
#include "core/families/component_files.h"
#include "core/families/family.h"
#include "core/pt/state_dict.h"

namespace reelgrid::families {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr const char* kIndexFile = "model_index.json";

Result<void> checkFile(const fs::path& file) {
    if (file.extension() != ".safetensors" && !pt::isPtName(file))
        return Error{ErrorCode::Unsupported,
                     "model " + file.string() +
                         ": a .safetensors or .pth file with a transformer, or a model's folder, was needed"};
    const auto tensors = pt::weightHeaderOf(file);
    return tensors ? Result<void>() : tensors.error();
}

/// What a pipeline of any family can be made of.
constexpr std::array<std::string_view, 14> kComponents{
    "transformer",  "transformer_2",  "unet",           "motion_adapter",  "vae",
    "text_encoder", "text_encoder_2", "text_encoder_3", "tokenizer",       "tokenizer_2",
    "tokenizer_3",  "image_encoder",  "scheduler",      "temporal_module",
};

/// An entry that can't be read must not be taken for a component that isn't there: the picture would be
/// another one.
Result<void> checkComponents(const json& index, const std::string& where) {
    const auto isNameOrNull = [](const json& entry) { return entry.is_string() || entry.is_null(); };
    for (const std::string_view name : kComponents) {
        const auto entry = index.find(name);
        if (entry == index.end() || entry->is_null()) continue;
        const bool isNamed =
            entry->is_array() && entry->size() == 2 && isNameOrNull((*entry)[0]) && isNameOrNull((*entry)[1]);
        if (!isNamed)
            return Error{ErrorCode::InvalidData, where + ": " + std::string(name) + " is " +
                                                     showJson(*entry) +
                                                     ", [\"library\", \"class\"] was needed"};
    }
    return {};
}

bool isOfDiffusers(const json& index, const std::string& component) {
    const auto entry = index.find(component);
    return entry != index.end() && entry->is_array() && entry->size() == 2 && (*entry)[0] == "diffusers" &&
           (*entry)[1].is_string();
}

Error ofNoFamily(const fs::path& file) {
    std::string titles;
    for (const Family& family : families())
        if (!family.layouts.empty()) titles.append(titles.empty() ? "" : " or ").append(family.title);
    return {ErrorCode::Unsupported,
            "model " + file.string() + ": a model of " + titles +
                " was needed in it (a LoRA goes to --lora, the folder of several shards to --model)"};
}

}  // namespace

Result<ModelIndex> ModelIndex::readBase(const ModelSource& source) {
    const fs::path& folder = source.base;
    std::error_code failed;
    const bool isFile = fs::is_regular_file(folder, failed);
    if (!isFile && !fs::is_directory(folder, failed)) {
        if (auto fault = faultOfPlace(folder)) return Error{fault->code, "model " + fault->message};
        return Error{ErrorCode::NotFound, "model folder " + folder.string() + ": no such folder"};
    }
    if (isFile)
        if (auto readable = checkFile(folder); !readable) return readable.error();
    ModelIndex index;
    index.m_folder = folder;
    const LayoutReader* reader = layoutReaderOf(folder);
    if (isFile && reader == nullptr) return ofNoFamily(folder);
    if (reader != nullptr) {
        auto layout = reader->read(source);
        if (!layout) return layout.error();
        index.m_index = layout->index;
        index.m_layout = *std::move(layout);
        return index;
    }
    auto object = readJsonObject(folder / kIndexFile);
    if (!object)
        return Error{object.error().code,
                     "model folder " + folder.string() +
                         ": a diffusers folder with model_index.json was needed: " + object.error().message};
    index.m_index = *std::move(object);
    if (auto checked = checkComponents(index.m_index, (folder / kIndexFile).string()); !checked)
        return checked.error();
    return index;
}

Result<ModelIndex> ModelIndex::read(const fs::path& base) {
    return readBase({.base = base});
}

Result<ModelIndex> ModelIndex::read(const ModelSource& source) {
    auto index = readBase(source);
    if (!index) return index;
    for (const ModelPart& part : source.parts)
        if (auto added = index->add(part); !added) return added.error();
    return index;
}

Result<void> ModelIndex::add(const ModelPart& part) {
    // What a layout has taken up already.
    if (m_layout && pathOf(part.component) == part.path) return {};
    std::error_code failed;
    const bool isFile = fs::is_regular_file(part.path, failed);
    if (!isFile && !fs::is_directory(part.path, failed)) {
        const std::string its = "model " + m_folder.string() + ": its " + part.component + " ";
        if (auto fault = faultOfPlace(part.path)) return Error{fault->code, its + fault->message};
        return Error{ErrorCode::NotFound, its + part.path.string() + ": no such file or folder"};
    }
    std::string className = "file";
    if (!isFile) {
        const auto config = readJsonObject(part.path / "config.json");
        if (!config) return config.error();
        const auto named = config->find("_class_name");
        className = named != config->end() && named->is_string() ? named->get<std::string>() : "folder";
    }
    m_index[part.component] = {"reelgrid", className};
    m_parts[part.component] = part.path;
    return {};
}

Result<ModelIndex> ModelIndex::parse(const std::string& text, const std::string& id) {
    auto object = parseJson(text, "model " + id + ": model_index.json");
    if (!object) return object.error();
    if (!object->is_object())
        return Error{ErrorCode::InvalidData, "model " + id + ": model_index.json: a JSON object was needed"};
    ModelIndex index;
    index.m_folder = id;
    index.m_index = *std::move(object);
    if (auto checked = checkComponents(index.m_index, "model " + id + ": model_index.json"); !checked)
        return checked.error();
    return index;
}

std::string ModelIndex::pipelineClass() const {
    const auto name = m_index.find("_class_name");
    return name != m_index.end() && name->is_string() ? name->get<std::string>() : "none";
}

std::string ModelIndex::classOf(const std::string& component) const {
    const auto entry = m_index.find(component);
    const bool named =
        entry != m_index.end() && entry->is_array() && entry->size() == 2 && (*entry)[1].is_string();
    return named ? (*entry)[1].get<std::string>() : std::string();
}

bool ModelIndex::isOn(const std::string& key) const {
    const auto entry = m_index.find(key);
    return entry != m_index.end() && entry->is_boolean() && entry->get<bool>();
}

Result<json> ModelIndex::config(const std::string& component, const std::string& fileName) const {
    // A file says nothing of itself: it is of the kind that it stands in for.
    std::error_code failed;
    if (const auto part = m_parts.find(component);
        part != m_parts.end() && !fs::is_regular_file(part->second, failed))
        return readJsonObject(part->second / fileName);
    if (!m_layout) {
        auto read = readJsonObject(m_folder / component / fileName);
        if (read && isOfDiffusers(m_index, component)) (*read)["_class_name"] = classOf(component);
        return read;
    }
    const auto config = m_layout->configs.find(component);
    if (config != m_layout->configs.end()) return config->second;
    return Error{ErrorCode::NotFound, "model folder " + m_folder.string() + ": it has no " + component};
}

fs::path ModelIndex::pathOf(const std::string& component) const {
    if (const auto part = m_parts.find(component); part != m_parts.end()) return part->second;
    if (!m_layout) return m_folder / component;
    const auto path = m_layout->paths.find(component);
    return path == m_layout->paths.end() ? fs::path() : path->second;
}

std::vector<fs::path> ModelIndex::filesOf(const std::string& component) const {
    const fs::path path = pathOf(component);
    std::error_code failed;
    std::vector<fs::path> files;
    if (fs::is_regular_file(path, failed)) {
        if (m_layout && !m_parts.contains(component))
            if (const auto beside = m_layout->filesBeside.find(component);
                beside != m_layout->filesBeside.end())
                files = beside->second;
        files.push_back(path);
        std::sort(files.begin(), files.end());
        return files;
    }
    files = readFilesIn(path);
    std::erase_if(files, [&](const fs::path& file) { return !isOf(component, file.filename().string()); });
    return files;
}

bool ModelIndex::isOf(const std::string& component, const std::string& fileName) const {
    if (!m_layout || m_parts.contains(component)) return true;
    const auto own = m_layout->fileNames.find(component);
    return own == m_layout->fileNames.end() ||
           std::ranges::any_of(own->second,
                               [&](const std::string& begin) { return fileName.starts_with(begin); });
}

fs::path ModelIndex::file() const {
    return m_layout ? fs::path() : m_folder / kIndexFile;
}

}  // namespace reelgrid::families
