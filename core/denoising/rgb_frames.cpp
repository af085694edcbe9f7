#include "core/denoising/rgb_frames.h"

#include <cmath>
#include <numeric>
#include <string>

#include "core/base/result.h"

namespace reelgrid::denoising {

void appendFrames(media::RgbVideo& video, const at::Tensor& frames_THWC) {
    const bool fits = frames_THWC.dim() == 4 && frames_THWC.size(1) == video.height &&
                      frames_THWC.size(2) == video.width && frames_THWC.size(3) == 3;
    if (!fits) throw Failure(ErrorCode::Internal, "the VAE's frames have another size than the clip");
    // One by one: tiles hand over the whole clip, of which there would be two copies more.
    for (const at::Tensor& frame_HWC : frames_THWC.unbind()) {
        // A NaN would become an arbitrary colour: better no clip than a wrong one.
        if (!frame_HWC.isfinite().all().item<bool>())
            throw Failure(ErrorCode::InvalidData,
                          "frame " + std::to_string(video.frameCount() + 1) +
                              ": the decoded picture has NaN or infinite values; the latents that led to it "
                              "are kept in latents.partial.safetensors");
        const at::Tensor bytes =
            (frame_HWC + 1.0).mul_(127.5).round_().clamp_(0, 255).to(at::kByte).cpu().contiguous();
        const auto* data = bytes.const_data_ptr<std::uint8_t>();
        video.pixels.insert(video.pixels.end(), data, data + bytes.numel());
    }
}

media::Rational frameRate(double fps) {
    constexpr std::int64_t kDenominator = 1000;
    const auto thousandths = static_cast<std::int64_t>(std::llround(fps * kDenominator));
    const std::int64_t common = std::gcd(thousandths, kDenominator);
    return {thousandths / common, kDenominator / common};
}

}  // namespace reelgrid::denoising
