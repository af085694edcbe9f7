#pragma once

#include <memory>
#include <string>

#include "core/vision/clip_vision_config.h"
#include "core/weights/weight_file.h"

namespace reelgrid::vision {

/// The image encoder in one file, in transformers' CLIPVisionModel's words whichever it has: those, or the
/// names of Wan's authors (models_clip_open-clip-xlm-roberta-large-vit-huge-14.pth), whose queries, keys and
/// values are one matrix. Source: wan/modules/clip.py, VisionTransformer.
std::unique_ptr<weights::WeightSource> byTransformersNames(std::unique_ptr<weights::WeightSource> encoder);

/// Such a file comes without a configuration: its shapes say all of it but that it has 16 heads and computes
/// gelu, as ViT-H does. Throws Failure(InvalidData) naming `where` and what is missing or impossible.
ClipVisionConfig clipConfigOf(const weights::WeightSource& encoder, const weights::ShapeOf& shapeOf,
                              const std::string& where);

}  // namespace reelgrid::vision
