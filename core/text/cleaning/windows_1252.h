#pragma once

#include <optional>

namespace reelgrid::text {

/// The character of a Windows-1252 byte; the five unassigned ones stay what they are in Latin-1, as HTML5
/// and ftfy have it.
char32_t fromWindows1252(unsigned char byte);

/// The byte of a character, if Windows-1252 (in the same reading) has it.
std::optional<unsigned char> toWindows1252(char32_t character);

}  // namespace reelgrid::text
