#pragma once

#include <string>

namespace reelgrid::text {

/// What ftfy.fix_text (6.3) does to a prompt, line by line and repeated until nothing changes: terminated
/// HTML references (unless the text has a '<'), mojibake, C1 controls as Windows-1252, Latin ligatures, half
/// and full width, straight quotes, line breaks, terminal escapes, control characters, NFC.
///
/// Not covered: mojibake of other encodings than Latin-1 and Windows-1252 (Windows-1250, -1251, -1253, -1254,
/// -1257, ISO-8859-2, MacRoman, CP437), mojibake in part of a line, with lost bytes ("â€�") or with its
/// no-break spaces made plain ("voilÃ le"); and where two-character sequences could be either, ftfy weighs
/// their neighbours.
std::u32string fixText(const std::u32string& text);

}  // namespace reelgrid::text
