#include "core/weights/model_config.h"

#include <utility>

#include "core/base/json.h"
#include "core/base/result.h"

namespace reelgrid::weights {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxListEntries = 64;
constexpr std::size_t kMaxConfigBytes = std::size_t{1} << 20;
constexpr std::size_t kShownCharacters = 60;

}  // namespace

ModelConfig::ModelConfig(json content, std::string where)
    : m_json(std::move(content)), m_where(std::move(where)) {
    if (!m_json.is_object()) throw Failure(ErrorCode::InvalidData, m_where + ": not a JSON object");
}

ModelConfig ModelConfig::read(const std::filesystem::path& folder, const std::string& fileName) {
    const std::filesystem::path path = folder / fileName;
    return {readJsonObject(path, kMaxConfigBytes).value(), path.string()};
}

bool ModelConfig::has(const std::string& key) const {
    const auto found = m_json.find(key);
    return found != m_json.end() && !found->is_null();
}

bool ModelConfig::isObject(const std::string& key) const {
    const auto found = m_json.find(key);
    return found != m_json.end() && found->is_object();
}

bool ModelConfig::isNumber(const std::string& key) const {
    const auto found = m_json.find(key);
    return found != m_json.end() && found->is_number();
}

bool ModelConfig::isList(const std::string& key) const {
    const auto found = m_json.find(key);
    return found != m_json.end() && found->is_array();
}

ModelConfig ModelConfig::object(const std::string& key) const {
    if (!isObject(key)) invalid(key, "an object");
    return {m_json.at(key), m_where + ": " + key};
}

std::string ModelConfig::valueText(const std::string& key) const {
    const auto found = m_json.find(key);
    if (found == m_json.end()) return "missing";
    const std::string text = found->dump(-1, ' ', true, json::error_handler_t::replace);
    return text.size() <= kShownCharacters ? text : text.substr(0, kShownCharacters) + "…";
}

void ModelConfig::requireClass(const std::string& name) const {
    if (textOr("_class_name", name) != name) unsupported("_class_name", "\"" + name + "\"");
    requirePlainWeights();
}

void ModelConfig::requirePlainWeights() const {
    if (has("quantization_config")) unsupported("quantization_config", "null (weights as they are)");
}

void ModelConfig::unsupported(const std::string& key, const std::string& needed) const {
    throw Failure(ErrorCode::Unsupported,
                  m_where + ": " + key + " is " + valueText(key) + ", this version needs " + needed);
}

void ModelConfig::invalid(const std::string& key, const std::string& needed) const {
    throw Failure(ErrorCode::InvalidData,
                  m_where + ": " + key + " is " + valueText(key) + ", " + needed + " was needed");
}

const json& ModelConfig::require(const std::string& key, const char* needed) const {
    const auto found = m_json.find(key);
    if (found == m_json.end() || found->is_null()) invalid(key, needed);
    return *found;
}

std::int64_t ModelConfig::positive(const std::string& key, std::int64_t max) const {
    const std::string needed = "a whole number from 1 to " + std::to_string(max);
    const json& value = require(key, needed.c_str());
    if (!value.is_number_integer()) invalid(key, needed);
    const auto number = value.get<std::int64_t>();
    if (number < 1 || number > max) invalid(key, needed);
    return number;
}

std::int64_t ModelConfig::positiveOr(const std::string& key, std::int64_t fallback, std::int64_t max) const {
    return has(key) ? positive(key, max) : fallback;
}

double ModelConfig::number(const std::string& key) const {
    const json& value = require(key, "a number");
    if (!value.is_number()) invalid(key, "a number");
    return value.get<double>();
}

double ModelConfig::numberOr(const std::string& key, double fallback) const {
    return has(key) ? number(key) : fallback;
}

bool ModelConfig::flagOr(const std::string& key, bool fallback) const {
    if (!m_json.contains(key)) return fallback;
    if (!has(key)) return false;  // None, which Python takes for false
    const json& value = require(key, "true or false");
    if (!value.is_boolean()) invalid(key, "true or false");
    return value.get<bool>();
}

std::string ModelConfig::text(const std::string& key) const {
    const json& value = require(key, "a text");
    if (!value.is_string()) invalid(key, "a text");
    return value.get<std::string>();
}

std::string ModelConfig::textOr(const std::string& key, const std::string& fallback) const {
    return m_json.contains(key) ? text(key) : fallback;  // None is no text, and never the usual one
}

std::vector<std::int64_t> ModelConfig::integers(const std::string& key) const {
    const json& list = require(key, "a list of whole numbers");
    if (!list.is_array() || list.size() > kMaxListEntries) invalid(key, "a list of whole numbers");
    std::vector<std::int64_t> values;
    for (const json& value : list) {
        if (!value.is_number_integer()) invalid(key, "a list of whole numbers");
        values.push_back(value.get<std::int64_t>());
    }
    return values;
}

std::vector<std::string> ModelConfig::texts(const std::string& key) const {
    const json& list = require(key, "a list of texts");
    if (!list.is_array() || list.size() > kMaxListEntries) invalid(key, "a list of texts");
    std::vector<std::string> values;
    for (const json& value : list) {
        if (!value.is_string()) invalid(key, "a list of texts");
        values.push_back(value.get<std::string>());
    }
    return values;
}

std::vector<double> ModelConfig::numbers(const std::string& key) const {
    const json& list = require(key, "a list of numbers");
    if (!list.is_array() || list.size() > kMaxListEntries) invalid(key, "a list of numbers");
    std::vector<double> values;
    for (const json& value : list) {
        if (!value.is_number()) invalid(key, "a list of numbers");
        values.push_back(value.get<double>());
    }
    return values;
}

std::vector<bool> ModelConfig::flags(const std::string& key) const {
    const json& list = require(key, "a list of true and false");
    if (!list.is_array() || list.size() > kMaxListEntries) invalid(key, "a list of true and false");
    std::vector<bool> values;
    for (const json& value : list) {
        if (!value.is_boolean()) invalid(key, "a list of true and false");
        values.push_back(value.get<bool>());
    }
    return values;
}

}  // namespace reelgrid::weights
