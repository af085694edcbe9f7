#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace reelgrid::weights {

/// Where one tensor is inside a safetensors file. `begin` counts from the file's start.
struct TensorEntry {
    at::ScalarType dtype = at::kFloat;
    std::vector<std::int64_t> shape;
    std::uint64_t begin = 0;
    std::uint64_t bytes = 0;
};

/// The largest header that is read: a checkpoint with 100,000 tensors stays below it.
inline constexpr std::uint64_t kMaxHeaderBytes = std::uint64_t{100} << 20;

/// Reads and checks the header of an untrusted safetensors file whose whole content is `file`: its length,
/// its JSON, each tensor's dtype, and that shape and offsets agree, stay inside the file and don't overlap.
/// Throws Failure(InvalidData) naming `path`, the tensor, the value and what was needed.
/// Source: the format's description in huggingface/safetensors.
std::map<std::string, TensorEntry> readSafetensorsHeader(std::string_view file, const std::string& path);

/// "BF16" ↔ at::kBFloat16, …; throws Failure(Unsupported) for a dtype that libtorch doesn't have.
at::ScalarType scalarTypeOf(const std::string& name, const std::string& where);
const char* safetensorsNameOf(at::ScalarType dtype);

}  // namespace reelgrid::weights
