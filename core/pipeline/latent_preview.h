#pragma once

#include <ATen/ATen.h>

#include <c10/core/Event.h>

#include <chrono>
#include <optional>
#include <string>

#include "core/denoising/step_observer.h"
#include "core/protocol/render_preview.h"

namespace reelgrid::pipeline {

/// A linear guess at what a VAE makes of one latent: RGB in 0…1 = weights · latent + bias.
struct LatentColors {
    at::Tensor weights_C3;
    at::Tensor bias_3;
};

/// The colours that were fitted for the VAE of this hash (component_hash.h), from resources/previews; nothing
/// where there are none or they can't be read: a render goes on without.
std::optional<LatentColors> latentColorsOf(const std::string& vaeSha256);

/// Shows the latents of a denoising loop, a pixel a latent, at most some times a second; never keeps a GPU
/// waiting.
class PreviewObserver final : public denoising::StepObserver {
  public:
    PreviewObserver(LatentColors colors, int steps, protocol::PreviewCallback show);

    void predicted(int step, const at::Tensor& latents, Prediction predict) override;
    void denoised(const at::Tensor& latents) override;

  private:
    /// Whether they are the latents that the colours are for.
    bool takes(const at::Tensor& latents);
    /// The clip's frames, or as many of them as a preview may have.
    [[nodiscard]] at::Tensor colored(const at::Tensor& latents_1CTHW) const;
    void show(int step, const at::Tensor& rgb_THWC);
    void showWhenThere();
    void send(int step, const at::Tensor& rgb_THWC);

    LatentColors m_colors;
    int m_steps;
    protocol::PreviewCallback m_show;
    std::chrono::steady_clock::time_point m_shown{};
    /// On its way from a GPU.
    struct Sent {
        int step;
        at::Tensor rgb_THWC;
        c10::Event there;
    };
    std::optional<Sent> m_sent;
};

}  // namespace reelgrid::pipeline
