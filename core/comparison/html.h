#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace reelgrid::comparison {

/// The text as it may stand in HTML and SVG, in content and in quoted attributes; made printable.
std::string escaped(const std::string& text);

/// What every page looks like, for its <style>.
const char* pageStyle();

/// Table cells: text escaped, aligned as numbers are, or as words are.
std::string cell(const std::string& content);
std::string textCell(const std::string& content);

/// A number with its unit, or a dash where there is none.
std::string number(const std::optional<double>& value, int decimals, const std::string& unit = "");

/// A path as a link from a page in `folder`: percent-encoded.
std::string link(const std::filesystem::path& file, const std::filesystem::path& folder);

}  // namespace reelgrid::comparison
