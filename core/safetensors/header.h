#pragma once

// What is inside a safetensors file, without libtorch: the loader and the catalog read headers with this.

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/safetensors/element_type.h"

namespace reelgrid::safetensors {

/// Where one tensor is inside a file. `begin` counts from the file's start.
struct TensorEntry {
    ElementType dtype = ElementType::F32;
    std::vector<std::int64_t> shape;
    std::uint64_t begin = 0;
    std::uint64_t bytes = 0;

    [[nodiscard]] std::uint64_t elements() const { return bytes / bytesOf(dtype); }
};

using TensorEntries = std::map<std::string, TensorEntry>;

/// The largest header that is read, as in the format's own implementation.
inline constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;

/// Reads and checks the header of an untrusted safetensors file whose whole content is `file`: its length,
/// its JSON, unique names, each tensor's dtype, that shape and offsets agree, and that the tensors cover the
/// data without hole or overlap. Throws Failure(InvalidData or Unsupported) naming `path`, the tensor, the
/// value and what was needed. Source: the format's description in huggingface/safetensors.
TensorEntries readHeader(std::string_view file, const std::string& path);

/// The same for a file on disk, of which only the header is read; NotFound or Io where it can't be.
Result<TensorEntries> readHeaderOf(const std::filesystem::path& file);

/// What whoever wrote the file says of it: the texts below "__metadata__" by their names, as they stand.
/// Checks the header's JSON alone, and throws as readHeader() does.
std::map<std::string, std::string> readMetadata(std::string_view file, const std::string& path);

/// An untrusted name on one printable line: quoted, control characters escaped, cut when very long.
std::string quotedName(const std::string& name);

/// "[2, 3]"
std::string shapeText(std::span<const std::int64_t> shape);

}  // namespace reelgrid::safetensors
