#pragma once

#include <filesystem>
#include <string>

#include "core/base/result.h"

namespace reelgrid::perception {

/// Holds a .pth or .pt file to the digits that torch.hub's names end in, the first eight of the file's
/// SHA-256
/// ("alexnet-owt-7be5be79.pth"): files of before PyTorch 1.6 have no checksums of their own. InvalidData
/// naming file and both; other names, and eight decimal digits, which are a date, say nothing.
Result<void> requireNamedHash(const std::filesystem::path& file, const std::string& sha256);

}  // namespace reelgrid::perception
