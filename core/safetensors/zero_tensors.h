#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace reelgrid::safetensors {

/// The matrices of a .safetensors file that hold zeros alone, as a download leaves that was stopped after its
/// file had got its size: of two dimensions or more and 64 elements or more. Of all others only the begin is
/// read. Throws Failure as readHeader() and MappedFile do.
std::vector<std::string> zeroMatricesIn(const std::filesystem::path& file);

}  // namespace reelgrid::safetensors
