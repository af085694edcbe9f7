#pragma once

#include <span>
#include <string>

namespace reelgrid {

/// A library that a program runs with, as --version names it.
struct LibraryVersion {
    std::string name;
    std::string version;
};

/// What --version prints: the program's name, version and commit, then a line a library.
std::string versionText(const std::string& program, std::span<const LibraryVersion> libraries);

}  // namespace reelgrid
