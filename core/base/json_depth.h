#pragma once

#include <string_view>

namespace reelgrid {

/// How deep brackets nest outside strings, seen before a tree is built: a file of brackets alone would make
/// one of gigabytes, and JSON trees are copied and printed recursively. The text need not be JSON at all.
int jsonDepth(std::string_view text);

}  // namespace reelgrid
