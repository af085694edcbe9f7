#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/weights/weight_source.h"

namespace reelgrid::weights {

/// Checkpoints of TurboDiffusion's "-quant" form store linear layers in integers: `X.int8_weight`, int8
/// [out, in], beside `X.scale`, fp32 [⌈out / 128⌉, ⌈in / 128⌉]: a weight is the integer times its block's
/// scale. Source: TurboDiffusion, ops/core.py (Int8Linear).

/// Rows and columns of a block.
inline constexpr std::int64_t kInt8Block = 128;

/// "blocks.0.ffn.2.weight" → "blocks.0.ffn.2.int8_weight" and "blocks.0.ffn.2.scale"; empty for other tensors
/// than weights.
std::string int8NameOf(const std::string& weightName);
std::string int8ScaleNameOf(const std::string& weightName);

/// How many blocks there are along a side.
constexpr std::int64_t int8BlocksOf(std::int64_t side) {
    return (side + kInt8Block - 1) / kInt8Block;
}

/// Integers times their blocks' scales, fp32 [out, in].
at::Tensor ofInt8Blocks(const at::Tensor& integers_OI, const at::Tensor& scales);

/// Such a checkpoint, or any other: weights that it stores in integers are handed out in fp32 by their usual
/// names, everything else as it is.
class Int8BlockWeights final : public WeightSource {
  public:
    explicit Int8BlockWeights(std::unique_ptr<WeightSource> checkpoint)
        : m_checkpoint(std::move(checkpoint)) {}

    at::Tensor require(const std::string& name, at::IntArrayRef shape) override;
    [[nodiscard]] bool has(const std::string& name) const override {
        return m_checkpoint->has(name) || isInIntegers(name);
    }
    [[nodiscard]] std::string whereIs(const std::string& name) const override {
        return m_checkpoint->whereIs(isInIntegers(name) ? int8NameOf(name) : name);
    }

  private:
    [[nodiscard]] bool isInIntegers(const std::string& name) const;

    std::unique_ptr<WeightSource> m_checkpoint;
};

}  // namespace reelgrid::weights
