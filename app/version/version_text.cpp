#include "app/version/version_text.h"

#include <algorithm>

#include "app/version/commit.h"
#include "core/base/version.h"

namespace reelgrid {

std::string versionText(const std::string& program, std::span<const LibraryVersion> libraries) {
    std::string text = program;
    text.append(" ").append(kVersion);
    if (const std::string built = commit(); !built.empty()) text.append(", commit ").append(built);
    std::size_t width = 0;
    for (const LibraryVersion& library : libraries) width = std::max(width, library.name.size());
    for (const LibraryVersion& library : libraries)
        text.append("\n  ")
            .append(library.name)
            .append(width + 2 - library.name.size(), ' ')
            .append(library.version);
    return text;
}

}  // namespace reelgrid
