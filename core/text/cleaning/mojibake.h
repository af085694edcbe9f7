#pragma once

#include <string>

namespace reelgrid::text {

/// Undoes the common mix-up: UTF-8 that was read as Latin-1 or Windows-1252 ("cafÃ©", "itâ€™s"), once or
/// several times over. A line is decoded only when all of it is well-formed UTF-8 in that reading and some
/// sequence in it is telling (three bytes or more, led by Â or Ã, or with a control character), so that
/// "Ångström…" stays.
std::u32string undoMojibake(const std::u32string& line);

}  // namespace reelgrid::text
