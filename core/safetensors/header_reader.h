#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "core/safetensors/header.h"

namespace reelgrid::safetensors {

/// Reads a safetensors header as its JSON streams by, without a tree in memory: a hostile header of 100 MB
/// can't be nested deep or grow on its way in, and a second tensor of the same name is seen. Returns false to
/// the parser at the first fault. Offsets in the entries are as written, from the start of the data.
class HeaderReader final : public nlohmann::json_sax<nlohmann::json> {
  public:
    explicit HeaderReader(std::string path) : m_path(std::move(path)) {}

    TensorEntries tensors;
    /// Of a name that comes twice the last text, as in the format's own implementation.
    std::map<std::string, std::string> metadata;
    /// What was wrong, after the parser stopped.
    [[nodiscard]] const std::string& why() const { return m_why; }

    bool start_object(std::size_t) override;
    bool end_object() override;
    bool key(std::string& text) override;
    bool string(std::string& text) override;
    bool start_array(std::size_t) override;
    bool end_array() override;
    bool number_unsigned(number_unsigned_t value) override;
    bool null() override { return unexpected("null"); }
    bool boolean(bool) override { return unexpected("a boolean"); }
    bool number_integer(number_integer_t) override { return unexpected("a negative number"); }
    bool number_float(number_float_t, const string_t&) override { return unexpected("a fraction"); }
    bool binary(binary_t&) override { return unexpected("binary data"); }
    bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception&) override;

  private:
    enum class Level { Outside, Names, Metadata, Fields, Numbers };

    bool fail(std::string why);
    bool failTensor(const std::string& why);
    bool unexpected(const std::string& what);

    std::string m_path;
    Level m_level = Level::Outside;
    std::string m_name;
    std::string m_field;
    std::string m_why;
    TensorEntry m_entry;
    std::set<std::string> m_names;
    std::set<std::string> m_fields;
    std::vector<std::uint64_t> m_numbers;
};

}  // namespace reelgrid::safetensors
