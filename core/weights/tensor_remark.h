#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace reelgrid::weights {

/// A verb for one tensor and for several: "belongs", "belong".
struct Verb {
    const char *one, *several;
};

/// Tensors of one file in one line: "FILE: 4 tensors belong to no layer (NAME, …)". `names` has at least one.
std::string tensorRemark(const std::filesystem::path& file, const std::vector<std::string>& names, Verb verb,
                         const std::string& rest);

}  // namespace reelgrid::weights
