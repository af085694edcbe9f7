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

/// The largest header that is read, as in the format's own implementation.
inline constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;

/// Reads and checks the header of an untrusted safetensors file whose whole content is `file`: its length,
/// its JSON, unique names, each tensor's dtype, that shape and offsets agree, and that the tensors cover the
/// data without hole or overlap. Throws Failure(InvalidData or Unsupported) naming `path`, the tensor, the
/// value and what was needed. Source: the format's description in huggingface/safetensors.
std::map<std::string, TensorEntry> readSafetensorsHeader(std::string_view file, const std::string& path);

/// "BF16" ↔ at::kBFloat16, …; throws Failure(Unsupported) for a dtype that libtorch doesn't have.
at::ScalarType scalarTypeOf(const std::string& name, const std::string& where);
const char* safetensorsNameOf(at::ScalarType dtype);

/// An untrusted name on one printable line: quoted, control characters escaped, cut when very long.
std::string quotedName(const std::string& name);

/// "[2, 3]"
std::string shapeText(at::IntArrayRef shape);

}  // namespace reelgrid::weights
