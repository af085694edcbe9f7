#pragma once

// Shape legend: B = 1 clip, C latent channels, T frames, H and W latent rows and columns.

#include <ATen/ATen.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "core/schedulers/scheduler.h"

namespace reelgrid::denoising {

/// What a ChainedClip adds to its sampler's state: noise of one frame, [B, C, H, W].
inline constexpr const char* kHeldNoise = "chain_noise";

/// A clip that goes on from another: while it is denoised its first frame is held to the other's last one,
/// with each step's noise, for a share of the steps; what follows comes of the frames seeing each other. To a
/// SamplingLoop it is the sampler.
class ChainedClip final : public schedulers::Scheduler {
  public:
    /// `frame_BCHW`: the latents to go on from; `share` of the steps, from 0 to 1.
    ChainedClip(std::unique_ptr<schedulers::Scheduler> sampler, at::Tensor frame_BCHW, double share)
        : m_sampler(std::move(sampler)), m_frame_BCHW(std::move(frame_BCHW)), m_share(share) {}

    /// Unit noise that a clip begins with → the same with its first frame held.
    [[nodiscard]] at::Tensor begunWith(const at::Tensor& noise_BCTHW);

    void setTimesteps(std::int64_t steps) override;
    [[nodiscard]] double initialNoiseSigma() const override { return m_sampler->initialNoiseSigma(); }
    [[nodiscard]] at::Tensor scaleModelInput(const at::Tensor& sample, std::int64_t i) const override {
        return m_sampler->scaleModelInput(sample, i);
    }
    at::Tensor step(const at::Tensor& modelOutput, std::int64_t i, const at::Tensor& sample) override;
    [[nodiscard]] std::optional<schedulers::SchedulerState> state() const override;
    void restore(std::int64_t next, const schedulers::SchedulerState& state) override;

  private:
    [[nodiscard]] bool holds(std::int64_t i) const {
        return static_cast<double>(i) < m_share * static_cast<double>(m_timesteps.size());
    }
    [[nodiscard]] at::Tensor held(const at::Tensor& latents_BCTHW, std::int64_t i) const;

    std::unique_ptr<schedulers::Scheduler> m_sampler;
    at::Tensor m_frame_BCHW;
    double m_share;
    at::Tensor m_noise_BCHW;  ///< of the first frame
};

/// The last frame of latents that a render left or --chain-save kept, fp32 [1, C, H, W]. Throws Failure:
/// InvalidData naming the file, the shape of its latents and the one that was needed.
at::Tensor lastLatentFrame(const std::filesystem::path& file, at::IntArrayRef shape_BCTHW);

}  // namespace reelgrid::denoising
