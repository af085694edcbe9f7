#pragma once

// Shape legend: P pictures, C channels, N positions of a picture: one for the whole before its patches.

#include <ATen/ATen.h>

#include <vector>

#include "core/weights/weight_file.h"

namespace reelgrid::perception {

/// DINO's vision transformer, whose feature of a whole picture says what is to be seen. Source:
/// facebookresearch/dino, vision_transformer.py.
class DinoEncoder {
  public:
    /// Takes dino_vitbase16_pretrain.pth by its authors' names, or transformers' ViTModel; the sizes are
    /// those of its tensors, 64 channels a head. Throws Failure(InvalidData).
    DinoEncoder(const weights::WeightFile& file, at::Device device);

    /// Pictures [P, 3, rows, columns], normalised, of any size of at least one patch → [P, C].
    [[nodiscard]] at::Tensor forward(const at::Tensor& pixels_P3YX) const;

    /// Of the pictures that it was trained with: 224.
    [[nodiscard]] std::int64_t pictureSide() const { return m_grid * m_patch; }

  private:
    struct Affine {
        at::Tensor weight, bias;
    };
    struct Layer {
        Affine norm1, qkv, out, norm2, up, down;
    };
    [[nodiscard]] at::Tensor positions(std::int64_t rows, std::int64_t columns) const;
    [[nodiscard]] at::Tensor normed(const at::Tensor& x, const Affine& norm) const;

    std::int64_t m_channels = 0, m_heads = 0, m_patch = 0, m_grid = 0;
    double m_eps = 0;
    at::Tensor m_whole_11C, m_position_1NC;
    Affine m_patches, m_norm;
    std::vector<Layer> m_layers;
};

}  // namespace reelgrid::perception
