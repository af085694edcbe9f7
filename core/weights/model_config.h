#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace reelgrid::weights {

/// A component's config.json with typed getters whose errors name the file, the key, its value and what was
/// needed. All getters throw Failure(InvalidData).
class ModelConfig {
  public:
    /// Reads `folder`/config.json (or another file name, as schedulers have) of at most 1 MB; throws
    /// Failure(NotFound) when it isn't there.
    static ModelConfig read(const std::filesystem::path& folder, const std::string& fileName = "config.json");
    ModelConfig(nlohmann::json json, std::string where);

    /// Whether the key is there and not null.
    [[nodiscard]] bool has(const std::string& key) const;

    /// A whole number from 1 to `max`: what sizes and counts are.
    [[nodiscard]] std::int64_t positive(const std::string& key, std::int64_t max = 1 << 24) const;
    [[nodiscard]] std::int64_t positiveOr(const std::string& key, std::int64_t fallback,
                                          std::int64_t max = 1 << 24) const;
    [[nodiscard]] double number(const std::string& key) const;
    /// Whether the key is there and holds a number.
    [[nodiscard]] bool isNumber(const std::string& key) const;
    [[nodiscard]] double numberOr(const std::string& key, double fallback) const;
    [[nodiscard]] bool flagOr(const std::string& key, bool fallback) const;
    [[nodiscard]] std::string text(const std::string& key) const;
    [[nodiscard]] std::string textOr(const std::string& key, const std::string& fallback) const;
    /// Whether the key is there and holds an object, and that object by itself.
    [[nodiscard]] bool isObject(const std::string& key) const;
    [[nodiscard]] ModelConfig object(const std::string& key) const;
    /// Whether the key is there and holds a list.
    [[nodiscard]] bool isList(const std::string& key) const;
    /// Lists of at most 64 entries.
    [[nodiscard]] std::vector<std::int64_t> integers(const std::string& key) const;
    [[nodiscard]] std::vector<double> numbers(const std::string& key) const;
    [[nodiscard]] std::vector<bool> flags(const std::string& key) const;
    [[nodiscard]] std::vector<std::string> texts(const std::string& key) const;

    /// That it is a network of this class (`_class_name`, if it is there) whose weights are stored as they
    /// are, not as another library's `quantization_config` says.
    void requireClass(const std::string& name) const;
    void requirePlainWeights() const;

    /// Throws Failure(Unsupported): "<file>: <key> is <value>, this version needs <needed>".
    [[noreturn]] void unsupported(const std::string& key, const std::string& needed) const;
    /// Throws Failure(InvalidData) in the same words.
    [[noreturn]] void invalid(const std::string& key, const std::string& needed) const;

    [[nodiscard]] const std::string& where() const { return m_where; }

  private:
    [[nodiscard]] const nlohmann::json& require(const std::string& key, const char* needed) const;
    [[nodiscard]] std::string valueText(const std::string& key) const;

    nlohmann::json m_json;
    std::string m_where;
};

}  // namespace reelgrid::weights
