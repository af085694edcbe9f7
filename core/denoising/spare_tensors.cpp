#include "core/denoising/spare_tensors.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace reelgrid::denoising {
namespace {

/// Averages of weights and how many went into them ("model_ema.decay"), the network that judged a VAE's
/// pictures in training, and AutoencoderKL's 1×1 convolutions.
constexpr std::array<std::string_view, 4> kSpareBegins{"model_ema.", "loss.", "quant_conv.",
                                                       "post_quant_conv."};
/// Places and frequencies of tokens; the sines of CogVideoX 2B, which its config has computed; a norm of
/// Wan's image-to-video models that diffusers ignores by name, too.
constexpr std::array<std::string_view, 4> kSpareEnds{"position_ids", "inv_freq", "patch_embed.pos_embedding",
                                                     "norm_added_q.weight"};

}  // namespace

bool isSpareTensor(const std::string& name) {
    const auto endsWith = [&](std::string_view end) {
        if (!name.ends_with(end)) return false;
        return name.size() == end.size() || name[name.size() - end.size() - 1] == '.';
    };
    return std::ranges::any_of(kSpareBegins,
                               [&](std::string_view begin) { return name.starts_with(begin); }) ||
           std::ranges::any_of(kSpareEnds, endsWith);
}

}  // namespace reelgrid::denoising
