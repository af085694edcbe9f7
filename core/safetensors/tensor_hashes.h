#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/safetensors/element_type.h"

namespace reelgrid::safetensors {

/// Of a tensor's hash among a file's metadata: "sha256:latents".
inline constexpr std::string_view kHashPrefix = "sha256:";

/// SHA-256 of a tensor's name, dtype and shape, a line, and then of its bytes.
std::string hashOf(const std::string& name, ElementType dtype, std::span<const std::int64_t> shape,
                   std::string_view bytes);

/// What is said of a file without any hashes.
enum class Hashes { Needed, WhereKept };

/// Checks a whole safetensors file against the hashes of its tensors in its metadata, which must be of all of
/// them. Throws Failure(InvalidData) naming `path` and the tensor that was changed since it was written, or
/// that has no hash; as readHeader() does for others.
void requireUnchanged(std::string_view file, const std::string& path, Hashes hashes);

}  // namespace reelgrid::safetensors
