#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "core/base/result.h"

namespace reelgrid::protocol {

/// Reads the fields of an untrusted JSON object one by one into C++ values and keeps the first error, which
/// names key, value and what was needed. Absent and null fields leave the target as it is, except with
/// require…(). The object must outlive the reader.
class FieldReader {
  public:
    static constexpr std::size_t kMaxTextBytes = 64 << 10;
    static constexpr double kNoBound = std::numeric_limits<double>::infinity();

    /// `what` names the object in messages ("request", "clip 3"); `code` is the errors' code.
    FieldReader(const nlohmann::json& object, std::string what, ErrorCode code);

    void text(const char* key, std::string& target, std::size_t maxBytes = kMaxTextBytes);
    void text(const char* key, std::optional<std::string>& target, std::size_t maxBytes = kMaxTextBytes);
    void integer(const char* key, int& target, int low = std::numeric_limits<int>::min());
    void integer(const char* key, std::optional<int>& target, int low = std::numeric_limits<int>::min());
    void integer(const char* key, std::uint64_t& target);
    void number(const char* key, double& target, double low = -kNoBound, double high = kNoBound);
    void number(const char* key, std::optional<double>& target, double low = -kNoBound,
                double high = kNoBound);
    void boolean(const char* key, bool& target);

    void requireText(const char* key, std::string& target, std::size_t maxBytes = kMaxTextBytes);
    void requireNumber(const char* key, double& target, double low = -kNoBound, double high = kNoBound);
    /// The object or array at `key`; null when there is none (an error with `required`).
    const nlohmann::json* object(const char* key, bool required = false);
    const nlohmann::json* array(const char* key, std::size_t maxItems, bool required = false);

    /// Notes an error that the caller found, unless there already is one.
    void fail(const std::string& message);
    [[nodiscard]] Result<void> finish() const;

  private:
    const nlohmann::json* find(const char* key, bool required = false);
    void wrong(const char* key, const nlohmann::json& value, const std::string& needed);

    const nlohmann::json& m_object;
    std::string m_what;
    ErrorCode m_code;
    std::optional<Error> m_error;
};

}  // namespace reelgrid::protocol
