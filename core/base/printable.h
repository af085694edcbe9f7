#pragma once

#include <string>

namespace reelgrid {

/// Text that may come from files, as a terminal, a page or a label can take it: control characters but line
/// feed and tab are written \u001b, as JSON does, and so are the marks that turn a text's direction.
std::string printable(const std::string& text);

}  // namespace reelgrid
