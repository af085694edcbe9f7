#pragma once

#include <ATen/ATen.h>

#include <filesystem>
#include <map>
#include <string>

#include "core/base/result.h"

namespace reelgrid::weights {

/// Writes tensors (any device, any strides) as one safetensors file that appears under its name only when it
/// is whole.
Result<void> writeSafetensors(const std::filesystem::path& path,
                              const std::map<std::string, at::Tensor>& tensors,
                              const std::map<std::string, std::string>& metadata = {});

/// The same with the tensors' hashes (safetensors::hashOf()) as metadata, by which a reader tells damage.
Result<void> writeHashedSafetensors(const std::filesystem::path& path,
                                    const std::map<std::string, at::Tensor>& tensors);

}  // namespace reelgrid::weights
