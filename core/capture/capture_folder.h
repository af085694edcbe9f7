#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace reelgrid::capture {

/// What the name of a capture file says: "<kernel>_input_<number>.pt".
struct CaptureName {
    std::string kernel;
    std::int64_t number = 0;
};
std::optional<CaptureName> captureNameOf(const std::filesystem::path& file);

/// Removes capture files and metadata of an earlier render from the folder, so that they are not taken for
/// those of the next one: of `kernel`, or of every kernel when it is empty. Other files stay.
void removeEarlierCaptures(const std::filesystem::path& folder, const std::string& kernel);

}  // namespace reelgrid::capture
