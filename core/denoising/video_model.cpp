#include "core/denoising/video_model.h"

#include <utility>

namespace reelgrid::denoising {

at::Tensor denoise(VideoModel& model, const catalog::RenderSettings& settings,
                   attention::Dispatcher& attention, StageClock& clock, LoopFollowers followers) {
    const std::unique_ptr<Denoiser> denoiser = model.prepare(settings, clock);
    return SamplingLoop(*denoiser, std::move(followers), model.device(), clock).run(attention);
}

}  // namespace reelgrid::denoising
