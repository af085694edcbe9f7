#include "core/safetensors/header_reader.h"

#include <limits>
#include <utility>

#include "core/base/result.h"

namespace reelgrid::safetensors {
namespace {

constexpr std::size_t kMaxDimensions = 16;
constexpr auto kMaxExtent = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

}  // namespace

bool HeaderReader::fail(std::string why) {
    m_why = std::move(why);
    return false;
}

bool HeaderReader::failTensor(const std::string& why) {
    return fail("tensor " + quotedName(m_name) + " " + why);
}

bool HeaderReader::unexpected(const std::string& what) {
    if (m_level == Level::Outside) return fail("its header is " + what + ", a JSON object was needed");
    return fail("its header has " + what + " where it can't be, at " + quotedName(m_name));
}

bool HeaderReader::parse_error(std::size_t position, const std::string&, const nlohmann::json::exception&) {
    return fail("its header is not well-formed JSON at byte " + std::to_string(position));
}

bool HeaderReader::start_object(std::size_t) {
    if (m_level == Level::Outside) {
        m_level = Level::Names;
        return true;
    }
    if (m_level != Level::Names) return unexpected("an object");
    m_level = m_name == "__metadata__" ? Level::Metadata : Level::Fields;
    m_fields.clear();
    m_entry = {};
    return true;
}

bool HeaderReader::end_object() {
    if (m_level == Level::Fields) {
        if (m_fields.size() != 3) return failTensor("lacks dtype, shape or data_offsets");
        tensors.emplace(m_name, std::move(m_entry));
    }
    m_level = m_level == Level::Names ? Level::Outside : Level::Names;
    return true;
}

bool HeaderReader::key(std::string& text) {
    if (m_level == Level::Names) {
        m_name = text;
        return m_names.insert(text).second || failTensor("is in the header twice");
    }
    m_field = text;
    if (m_level == Level::Metadata) return true;
    if (text != "dtype" && text != "shape" && text != "data_offsets")
        return failTensor("has the unknown field " + quotedName(text));
    return m_fields.insert(text).second || failTensor("has " + text + " twice");
}

bool HeaderReader::string(std::string& text) {
    if (m_level == Level::Metadata) {
        metadata.insert_or_assign(m_field, std::move(text));
        return true;
    }
    if (m_level != Level::Fields || m_field != "dtype") return unexpected("a text");
    m_entry.dtype = elementTypeOf(text, m_path + ": tensor " + quotedName(m_name));
    return true;
}

bool HeaderReader::start_array(std::size_t) {
    if (m_level != Level::Fields || m_field == "dtype") return unexpected("a list");
    m_level = Level::Numbers;
    m_numbers.clear();
    return true;
}

bool HeaderReader::number_unsigned(number_unsigned_t value) {
    if (m_level != Level::Numbers) return unexpected("a number");
    if (m_numbers.size() == kMaxDimensions)
        return failTensor("has more than " + std::to_string(kMaxDimensions) + " numbers in its " + m_field);
    m_numbers.push_back(value);
    return true;
}

bool HeaderReader::end_array() {
    m_level = Level::Fields;
    if (m_field == "data_offsets") {
        if (m_numbers.size() != 2 || m_numbers[0] > m_numbers[1])
            return failTensor("needs two rising data_offsets");
        m_entry.begin = m_numbers[0];
        m_entry.bytes = m_numbers[1] - m_numbers[0];
        return true;
    }
    for (const std::uint64_t extent : m_numbers) {
        if (extent > kMaxExtent) return failTensor("has the impossible extent " + std::to_string(extent));
        m_entry.shape.push_back(static_cast<std::int64_t>(extent));
    }
    return true;
}

}  // namespace reelgrid::safetensors
