#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/weights/weight_source.h"

namespace reelgrid::weights {

/// Shape of a tensor as stored; nothing when there is no such tensor.
using ShapeOf = std::function<std::optional<std::vector<std::int64_t>>(const std::string& name)>;

/// Its dtype, of a tensor that is there.
using TypeOf = std::function<at::ScalarType(const std::string& name)>;

/// Weights on the disk in either format, with what they say of themselves.
struct WeightFile {
    std::unique_ptr<WeightSource> weights;
    ShapeOf shapeOf;                             ///< as long as the weights live
    std::vector<std::string> names;              ///< of all tensors, sorted
    TypeOf typeOf{};                             ///< as shapeOf; empty: nobody knows
    std::vector<std::filesystem::path> files{};  ///< that they are in, sorted

    /// Of those files together.
    [[nodiscard]] std::uint64_t fileBytes() const;
};

/// A .pth, .pt, .ckpt or .bin file, a .safetensors file, a folder that SafetensorsFolder reads, or else one
/// with diffusion_pytorch_model.bin or pytorch_model.bin. Throws Failure as they do.
WeightFile openWeights(const std::filesystem::path& path);

/// The file of torch.save() that openWeights(path) reads: `path` itself or one in it; empty where it reads
/// another.
std::filesystem::path torchFileOf(const std::filesystem::path& path);

/// What opens weights for a checkpoint: openWeights(), or somebody who looks at what is taken.
using OpenWeights = std::function<WeightFile(const std::filesystem::path& path)>;

}  // namespace reelgrid::weights
