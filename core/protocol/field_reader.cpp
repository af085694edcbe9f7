#include "core/protocol/field_reader.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/json.h"
#include "core/base/number_text.h"
#include "core/base/one_line.h"

namespace reelgrid::protocol {

using nlohmann::json;

FieldReader::FieldReader(const json& object, std::string what, ErrorCode code)
    : m_object(object), m_what(std::move(what)), m_code(code) {
    if (!object.is_object()) fail(showJson(object) + ": an object was needed");
}

void FieldReader::fail(const std::string& message) {
    if (!m_error) m_error = Error{m_code, m_what + ": " + message};
}

Result<void> FieldReader::finish() const {
    if (m_error) return *m_error;
    return {};
}

void FieldReader::wrong(const char* key, const json& value, const std::string& needed) {
    fail(nameInOneLine(key) + " " + showJson(value) + ": " + needed + " was needed");
}

const json* FieldReader::find(const char* key, bool required) {
    if (!m_object.is_object()) return nullptr;
    const auto found = m_object.find(key);
    if (found != m_object.end() && !found->is_null()) return &*found;
    if (required) fail(nameInOneLine(key) + " is missing");
    return nullptr;
}

void FieldReader::text(const char* key, std::string& target, std::size_t maxBytes) {
    const json* value = find(key);
    if (value == nullptr) return;
    if (!value->is_string()) return wrong(key, *value, "text");
    const auto& read = value->get_ref<const std::string&>();
    if (read.size() > maxBytes)
        return fail(nameInOneLine(key) + " has " + std::to_string(read.size()) + " bytes: at most " +
                    std::to_string(maxBytes) + " were needed");
    // A zero byte would end the text early wherever it reaches a C interface (a path, a font renderer).
    if (read.find('\0') != std::string::npos) return wrong(key, *value, "text without zero bytes");
    target = read;
}

void FieldReader::text(const char* key, std::optional<std::string>& target, std::size_t maxBytes) {
    if (find(key) != nullptr) text(key, target.emplace(), maxBytes);
}

void FieldReader::requireText(const char* key, std::string& target, std::size_t maxBytes) {
    if (find(key, true) != nullptr) text(key, target, maxBytes);
}

void FieldReader::integer(const char* key, int& target, int low) {
    const json* value = find(key);
    if (value == nullptr) return;
    constexpr int kHigh = std::numeric_limits<int>::max();
    const bool fits =
        value->is_number_unsigned()
            ? value->get<std::uint64_t>() <= std::uint64_t(kHigh) && value->get<std::int64_t>() >= low
            : value->is_number_integer() && value->get<std::int64_t>() >= low &&
                  value->get<std::int64_t>() <= kHigh;
    const bool isTooLarge = value->is_number_unsigned() && value->get<std::uint64_t>() > std::uint64_t(kHigh);
    const bool hasLow = low != std::numeric_limits<int>::min();
    if (!fits)
        return wrong(key, *value,
                     "a whole number" + (isTooLarge ? " of at most " + std::to_string(kHigh)
                                         : hasLow   ? " of at least " + std::to_string(low)
                                                    : std::string()));
    target = value->get<int>();
}

void FieldReader::integer(const char* key, std::optional<int>& target, int low) {
    if (find(key) != nullptr) integer(key, target.emplace(), low);
}

void FieldReader::integer(const char* key, std::uint64_t& target) {
    const json* value = find(key);
    if (value == nullptr) return;
    // A number that is written without a sign is unsigned to the parser; one that was built in memory may not
    // be.
    const bool fits =
        value->is_number_unsigned() || (value->is_number_integer() && value->get<std::int64_t>() >= 0);
    if (!fits) return wrong(key, *value, "a whole number from 0 to 2^64 - 1");
    target = value->get<std::uint64_t>();
}

void FieldReader::number(const char* key, double& target, double low, double high) {
    const json* value = find(key);
    if (value == nullptr) return;
    if (!value->is_number() || !std::isfinite(value->get<double>())) return wrong(key, *value, "a number");
    const double read = value->get<double>();
    if (read < low || read > high)
        return wrong(key, *value,
                     high == kNoBound
                         ? "a number of at least " + significant(low, 3)
                         : "a number from " + significant(low, 3) + " to " + significant(high, 3));
    target = read;
}

void FieldReader::number(const char* key, std::optional<double>& target, double low, double high) {
    if (find(key) != nullptr) number(key, target.emplace(), low, high);
}

void FieldReader::requireNumber(const char* key, double& target, double low, double high) {
    if (find(key, true) != nullptr) number(key, target, low, high);
}

void FieldReader::boolean(const char* key, bool& target) {
    const json* value = find(key);
    if (value == nullptr) return;
    if (!value->is_boolean()) return wrong(key, *value, "true or false");
    target = value->get<bool>();
}

const json* FieldReader::object(const char* key, bool required) {
    const json* value = find(key, required);
    if (value == nullptr || value->is_object()) return value;
    wrong(key, *value, "an object");
    return nullptr;
}

const json* FieldReader::array(const char* key, std::size_t maxItems, bool required) {
    const json* value = find(key, required);
    if (value == nullptr) return nullptr;
    if (!value->is_array()) {
        wrong(key, *value, "a list");
        return nullptr;
    }
    if (value->size() > maxItems) {
        fail(nameInOneLine(key) + " has " + std::to_string(value->size()) + " entries: at most " +
             std::to_string(maxItems) + " were needed");
        return nullptr;
    }
    return value;
}

}  // namespace reelgrid::protocol
