#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace reelgrid::safetensors {

/// The matrices of a .safetensors file (two dimensions or more, 64 elements or more) that look as a download
/// leaves them that was stopped after its file had got its size: of zeros alone, or with 64 KiB of zeros that
/// begin or end within a row, at their end or at one of the places, 8 MiB apart, that are looked at. Whole
/// rows of zeros are none: training doesn't reach some. Throws Failure as readHeader() and MappedFile do.
std::vector<std::string> zeroedMatricesIn(const std::filesystem::path& file);

}  // namespace reelgrid::safetensors
