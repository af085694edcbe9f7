#pragma once

#include <optional>
#include <string>

namespace reelgrid::text {

/// Python's html.unescape: named references (also without their semicolon, by longest prefix) and numeric
/// ones, which HTML5 reads as Windows-1252 in 0x80..0x9F.
std::u32string unescapeHtml(const std::u32string& text);

/// The careful kind that ftfy does first: only references that end in a semicolon, and some all-capital
/// spellings (&NTILDE;).
std::u32string unescapeTerminatedHtml(const std::u32string& text);

}  // namespace reelgrid::text
