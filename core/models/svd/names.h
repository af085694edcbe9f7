#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/weights/weight_source.h"

namespace reelgrid::models::svd {

/// What Stability AI's own code (sgm) calls the parameter that diffusers' UNetSpatioTemporalConditionModel
/// calls `name`, of a model with so many residual layers a block on the way down and so many blocks:
/// "input_blocks.1.0.time_stack.in_layers.0.weight" for
/// "down_blocks.0.resnets.0.temporal_res_block.norm1.weight". Source: Stability-AI/generative-models,
/// sgm/modules/diffusionmodules/video_model.py; diffusers, scripts/convert_svd_to_diffusers.py.
std::string sgmUnetName(const std::string& name, std::int64_t layersPerBlock, std::int64_t blocks);

/// The same of AutoencoderKLTemporalDecoder's with `sizes` sizes, in a whole file of the model. The encoder
/// is that of the picture that the model is told, the decoder the clip's. Attention's matrices are 1×1
/// convolutions there. Source: sgm/modules/autoencoding/temporal_ae.py, sgm/modules/encoders/modules.py.
std::string sgmVaeName(const std::string& name, std::int64_t sizes);

/// Parameters of the parts in one file (svd.safetensors, svd_xt.safetensors) by diffusers' and transformers'
/// names. The image encoder is OpenCLIP's, whose queries, keys and values are one matrix.
std::unique_ptr<weights::WeightSource> unetInFile(std::unique_ptr<weights::WeightSource> file,
                                                  std::int64_t layersPerBlock, std::int64_t blocks);
std::unique_ptr<weights::WeightSource> vaeInFile(std::unique_ptr<weights::WeightSource> file,
                                                 std::int64_t sizes);
std::unique_ptr<weights::WeightSource> imageEncoderInFile(std::unique_ptr<weights::WeightSource> file);

/// Whether a tensor of such a file is of a part ("unet", "vae", "image_encoder"), by what its name begins
/// with. The file has a decoder beside the picture's encoder and an encoder beside the clip's decoder, of no
/// part.
bool isOfPart(const std::string& part, const std::string& tensor);

}  // namespace reelgrid::models::svd
