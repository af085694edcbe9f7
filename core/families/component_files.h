#pragma once

#include <filesystem>
#include <vector>

namespace reelgrid::families {

/// The regular files in a component's folder that it is read from, sorted: settings and vocabularies by their
/// kind, weights by the names that loaders look for. Others, such as notes or weights in further formats, may
/// be of any size and change nothing; hidden files are none either.
std::vector<std::filesystem::path> readFilesIn(const std::filesystem::path& folder);

}  // namespace reelgrid::families
