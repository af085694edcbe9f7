#include "core/plugins/plugin_file.h"

#include <cstdint>

#include "core/base/file_check.h"

namespace reelgrid::plugins {

Result<void> requirePluginFile(const std::filesystem::path& file) {
    // Libtorch's largest library has 1.5 GB.
    constexpr std::uint64_t kMostLibraryBytes = std::uint64_t{4} << 30;
    constexpr std::uint64_t kMostPythonBytes = std::uint64_t{16} << 20;
    const std::filesystem::path kind = file.extension();
    return requireFile(file, kind == ".json" ? kMostRecipeBytes
                             : kind == ".py" ? kMostPythonBytes
                                             : kMostLibraryBytes);
}

}  // namespace reelgrid::plugins
