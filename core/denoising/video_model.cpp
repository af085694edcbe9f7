#include "core/denoising/video_model.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "core/denoising/rgb_frames.h"
#include "core/models/layers/linear.h"
#include "core/parallel/rank_group.h"
#include "core/weights/idle_loras.h"

namespace reelgrid::denoising {

std::optional<result::GemmRecord> VideoModel::gemms() const {
    if (m_options.gemms == Gemms::AsDtype) return std::nullopt;
    const bool isFp8 = m_options.gemms == Gemms::Fp8;
    const std::string requested = isFp8 ? protocol::kLinearFp8 : protocol::kLinearInt8;
    if (isFp8 ? models::multipliesFp8(device()) : models::multipliesInt8(device(), m_options.dtype))
        return result::GemmRecord{requested, requested, ""};
    const std::string dtype = m_options.dtype == at::kFloat  ? "fp32"
                              : m_options.dtype == at::kHalf ? "fp16"
                                                             : "bf16";
    return result::GemmRecord{requested, dtype,
                              device().str() + " has no products of " +
                                  (isFp8 ? "e4m3" : "int8 for " + dtype) +
                                  ": the rounded values are multiplied in " + dtype};
}

std::vector<std::string> VideoModel::idleLoras() const {
    std::vector<weights::Lora> loras = m_options.loras;
    loras.insert(loras.end(), m_options.secondLoras.begin(), m_options.secondLoras.end());
    return weights::idleLoras(loras);
}

namespace {

/// Of a VAE each latent frame of which is a frame: as many as the request says, or all of them.
std::int64_t latentFramesTogether(const catalog::RenderSettings& settings, std::int64_t latentFrames) {
    return settings.decodeChunkSize ? std::min<std::int64_t>(*settings.decodeChunkSize, latentFrames)
                                    : latentFrames;
}

}  // namespace

at::Tensor denoise(VideoModel& model, const catalog::RenderSettings& settings,
                   attention::Dispatcher& attention, StageClock& clock, LoopFollowers followers) {
    const std::unique_ptr<Denoiser> denoiser = model.prepare(settings, clock);
    return SamplingLoop(*denoiser, std::move(followers), model.device(), clock).run(attention);
}

namespace {

/// Ranks that decode a clip's tiles together; a wish to stop is theirs together, too.
class MeshTiles final : public vae::TileRanks {
  public:
    explicit MeshTiles(parallel::Mesh& mesh) : m_group(mesh.group()) {}
    [[nodiscard]] int rank() const override { return m_group.rank(); }
    [[nodiscard]] int ranks() const override { return m_group.ranks(); }
    [[nodiscard]] at::Tensor exchange(const at::Tensor& tile_THWC) override {
        m_group.agreeOnStop();
        if (m_group.agreedStop().stop_requested()) throw Failure(ErrorCode::Cancelled, "cancelled");
        return m_group.all().gather(tile_THWC);
    }

  private:
    parallel::RankGroup& m_group;
};

}  // namespace

media::RgbVideo decode(const VideoModel& model, const at::Tensor& latents_1CTHW,
                       const catalog::RenderSettings& settings, StageClock& clock) {
    const vae::VideoVae& vae = model.vae();
    const at::Tensor z_CTHW = vae.denormalised(latents_1CTHW[0]);
    media::RgbVideo video{
        .width = settings.width, .height = settings.height, .fps = frameRate(settings.fps), .pixels = {}};
    video.pixels.reserve(video.frameBytes() * static_cast<std::size_t>(settings.numFrames));
    clock.begin("decode", settings.numFrames);
    std::optional<MeshTiles> ranks;
    const std::int64_t latentFrames = z_CTHW.size(1), together = latentFramesTogether(settings, latentFrames);
    for (std::int64_t first = 0; first < latentFrames; first += together) {
        const at::Tensor some_CTHW = z_CTHW.narrow(1, first, std::min(together, latentFrames - first));
        if (auto tiling = tilingFor(vae, settings)) {
            if (model.execution().mesh != nullptr && !ranks) ranks.emplace(*model.execution().mesh);
            if (ranks) tiling->ranks = &*ranks;
            // A frame is there once its last tile is: so many have been decoded, in equal parts of work.
            const int before = video.frameCount();
            const auto frames = static_cast<int>(some_CTHW.size(1) * settings.numFrames / latentFrames);
            const auto report = [&](std::int64_t done, std::int64_t total) {
                clock.advance(before + static_cast<int>(done * frames / total));
            };
            appendFrames(video, vae.decodeTiled(some_CTHW, *tiling, report, clock.stopToken()));
        } else {
            const auto keep = [&](const at::Tensor& frames_THWC) {
                appendFrames(video, frames_THWC);
                clock.advance(video.frameCount());
            };
            vae.decodeTo(some_CTHW, keep, clock.stopToken());
        }
    }
    clock.end();
    return video;
}

vae::ClipSize decodedTogether(const catalog::RenderSettings& settings) {
    return {latentFramesTogether(settings, settings.numFrames), settings.height, settings.width};
}

std::optional<vae::Tiling> tilingFor(const vae::VideoVae& vae, const catalog::RenderSettings& settings) {
    if (settings.vaeTiling != protocol::kTilingOn) return std::nullopt;
    return vae.tilingOf(settings.vaeTilePx);
}

std::uint64_t workingBytes(const VideoModel& model, const catalog::RenderSettings& settings) {
    const vae::VideoVae& vae = model.vae();
    const auto tiling = tilingFor(vae, settings);
    vae::ClipSize clip = decodedTogether(settings);
    const std::uint64_t decode = vae.bytesToDecode(clip, tiling);
    clip.frames = model.encodedFrames(settings);
    const std::uint64_t encode = clip.frames > 0 ? vae.bytesToEncode(clip, tiling) : 0;
    return std::max({model.passBytes(settings), decode, encode});
}

}  // namespace reelgrid::denoising
