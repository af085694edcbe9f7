#pragma once

#include <ATen/ATen.h>

#include <array>

#include "core/media/image.h"
#include "core/weights/model_config.h"

namespace reelgrid::vision {

/// Pictures as CLIP takes them: image_processor/preprocessor_config.json (CLIPImageProcessor of transformers,
/// with Pillow's resampling).
class ClipImageProcessor {
  public:
    /// Throws Failure(InvalidData or Unsupported) naming the file, the key and its value.
    explicit ClipImageProcessor(const weights::ModelConfig& config);

    /// [1, 3, height, width] fp32.
    [[nodiscard]] at::Tensor pixels(const media::RgbImage& image) const;
    /// The last step alone: pictures [N, 3, rows, columns] within [0, 1] less the mean colour, over the
    /// deviation. fp32.
    [[nodiscard]] at::Tensor normalised(const at::Tensor& pictures_N3YX) const;

  private:
    enum class Resize { No, ShortestEdge, Both };
    Resize m_resize = Resize::ShortestEdge;
    media::PictureSize m_size{224, 224};  ///< of ShortestEdge: its length, twice
    bool m_centerCrop = true;
    media::PictureSize m_crop{224, 224};
    double m_rescale = 1.0 / 255;
    std::array<double, 3> m_mean{0.48145466, 0.4578275, 0.40821073};
    std::array<double, 3> m_std{0.26862954, 0.26130258, 0.27577711};
};

}  // namespace reelgrid::vision
