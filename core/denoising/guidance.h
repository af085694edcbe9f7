#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <variant>
#include <vector>

#include "core/catalog/render_settings.h"

namespace reelgrid::denoising {

/// How far a step goes from the unconditional prediction towards the conditional one and beyond: one number,
/// or a tensor that broadcasts over the prediction (a number for each frame).
using GuidanceScale = std::variant<double, at::Tensor>;

/// Classifier-free guidance of a render, and how its passes run.
struct Guidance {
    /// Of each step; empty: no guidance, one pass a step.
    std::function<GuidanceScale(int step)> scale{};
    /// Skip-layer guidance: a third pass, without some layers, whose prediction the guided one goes away
    /// from.
    struct SkippedLayers {
        double scale = 0;
        double after = 0, before = 0;  ///< the steps of which it is: after < step < before
        [[nodiscard]] bool isOf(int step) const { return step > after && step < before; }
    };
    std::optional<SkippedLayers> skippedLayers{};
    protocol::StepCache stepCache{};  ///< its curve for as many steps as the render has
    /// The steps whose passes may skip blocks.
    int stepCacheFrom = 0, stepCacheBefore = std::numeric_limits<int>::max();
    enum class Passes { Called, Graphed } passes = Passes::Called;

    /// What the request says, with the same scale in every step.
    static Guidance from(const catalog::RenderSettings& settings);
};

/// Whether the request's guidance needs an unconditional pass, and so a negative prompt.
bool isGuided(const catalog::RenderSettings& settings);

/// The layers of a network of so many that the request's skip-layer guidance leaves out; none without it.
std::vector<int> layersSkippedBy(const catalog::RenderSettings& settings, std::int64_t layers);

/// unconditional + scale · (conditional − unconditional).
at::Tensor guided(const at::Tensor& conditional, const at::Tensor& unconditional, const GuidanceScale& scale);

}  // namespace reelgrid::denoising
