#include "core/models/sd35/latent_attention.h"

namespace reelgrid::models::sd35 {

at::Tensor attendOverFrames(const at::Tensor& latents_1ZFYX, double alpha, attention::Dispatcher& attention) {
    const at::Tensor clip_ZFYX = latents_1ZFYX[0];
    const std::int64_t channels = clip_ZFYX.size(0), frames = clip_ZFYX.size(1);
    // A sequence for each place: [Y·X, 1, F, Z].
    const at::Tensor places = clip_ZFYX.permute({2, 3, 1, 0}).contiguous().view({-1, 1, frames, channels});
    const at::Tensor seen_YXFZ = attention
                                     .attend({.q_BHND = places,
                                              .k_BHMD = places,
                                              .v_BHMD = places,
                                              .keyBias_M = {},
                                              .grid = {.frames = frames, .rows = 1, .columns = 1}},
                                             {attention::ModuleKind::Temporal, 0})
                                     .reshape({clip_ZFYX.size(2), clip_ZFYX.size(3), frames, channels});
    const at::Tensor seen_ZFYX = seen_YXFZ.permute({3, 2, 0, 1});
    return (clip_ZFYX + alpha * (seen_ZFYX - clip_ZFYX)).unsqueeze(0);
}

}  // namespace reelgrid::models::sd35
