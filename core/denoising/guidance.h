#pragma once

#include <ATen/ATen.h>

#include <functional>
#include <optional>
#include <variant>

#include "core/catalog/render_settings.h"

namespace reelgrid::denoising {

/// How far a step goes from the unconditional prediction towards the conditional one and beyond: one number,
/// or a tensor that broadcasts over the prediction (a number for each frame).
using GuidanceScale = std::variant<double, at::Tensor>;

/// Classifier-free guidance of a render, and how its passes run.
struct Guidance {
    /// Of each step; empty: no guidance, one pass a step.
    std::function<GuidanceScale(int step)> scale{};
    double stepCache = 0;   ///< FirstBlockCache's threshold; 0: every pass runs whole
    int stepCacheFrom = 0;  ///< the first step that may skip
    enum class Passes { Called, Graphed } passes = Passes::Called;

    /// What the request says, with the same scale in every step.
    static Guidance from(const catalog::RenderSettings& settings);
};

/// Whether the request's guidance needs an unconditional pass, and so a negative prompt.
bool isGuided(const catalog::RenderSettings& settings);

/// unconditional + scale · (conditional − unconditional).
at::Tensor guided(const at::Tensor& conditional, const at::Tensor& unconditional, const GuidanceScale& scale);

}  // namespace reelgrid::denoising
