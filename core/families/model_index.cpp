#include "core/families/model_index.h"

#include "core/base/json.h"

namespace reelgrid::families {

namespace fs = std::filesystem;
using nlohmann::json;

Result<ModelIndex> ModelIndex::read(const fs::path& folder) {
    std::error_code failed;
    if (!fs::is_directory(folder, failed))
        return Error{ErrorCode::NotFound, "model folder " + folder.string() + ": no such folder"};
    auto object = readJsonObject(folder / "model_index.json");
    if (!object)
        return Error{object.error().code,
                     "model folder " + folder.string() +
                         ": a diffusers folder with model_index.json was needed: " + object.error().message};
    ModelIndex index;
    index.m_folder = folder;
    index.m_index = *std::move(object);
    return index;
}

Result<ModelIndex> ModelIndex::parse(const std::string& text, const std::string& id) {
    auto object = parseJson(text, "model " + id + ": model_index.json");
    if (!object) return object.error();
    if (!object->is_object())
        return Error{ErrorCode::InvalidData, "model " + id + ": model_index.json: a JSON object was needed"};
    ModelIndex index;
    index.m_folder = id;
    index.m_index = *std::move(object);
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
    return readJsonObject(m_folder / component / fileName);
}

}  // namespace reelgrid::families
