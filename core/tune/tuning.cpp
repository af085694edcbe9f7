#include "core/tune/tuning.h"

#include <algorithm>

#include "core/base/number_text.h"

namespace reelgrid::tune {
namespace {

bool mayBeChosen(const Tuning& tuning, const TuningRender& render) {
    return render.assignment || std::ranges::find(tuning.backends, render.name) != tuning.backends.end();
}

std::string figuresOf(const Tuning& tuning, const TuningRender& render) {
    return fixed(render.measured.seconds, 2) + " s of " +
           (tuning.timesAttention ? "self-attention" : "denoising") + ", " +
           infoOf(tuning.budget.quality).name + " " +
           qualityText(tuning.budget.quality, render.measured.quality);
}

}  // namespace

Verdict verdictOf(const Tuning& tuning) {
    Verdict verdict;
    const auto isFaster = [&](std::size_t a, const std::optional<std::size_t>& b) {
        return !b || tuning.renders[a].measured.seconds < tuning.renders[*b].measured.seconds;
    };
    for (std::size_t i = 0; i < tuning.renders.size(); ++i) {
        const TuningRender& render = tuning.renders[i];
        if (render.assignment || !mayBeChosen(tuning, render)) continue;
        if (tuning.budget.isMetBy(render.measured.quality) && isFaster(i, verdict.bestSingle))
            verdict.bestSingle = i;
    }
    verdict.chosen = verdict.bestSingle;
    for (std::size_t i = 0; i < tuning.renders.size(); ++i) {
        const TuningRender& render = tuning.renders[i];
        if (render.assignment && tuning.budget.isMetBy(render.measured.quality) &&
            isFaster(i, verdict.chosen))
            verdict.chosen = i;
    }
    return verdict;
}

std::string verdictText(const Tuning& tuning) {
    const auto [bestSingle, chosen] = verdictOf(tuning);
    const std::string budget = tuning.budget.text();
    if (!chosen) return "No policy over these backends meets " + budget + ".";
    const TuningRender& best = tuning.renders[*chosen];
    if (!bestSingle)
        return "No single backend meets " + budget + "; the policy does: " + figuresOf(tuning, best) + ".";
    const TuningRender& single = tuning.renders[*bestSingle];
    const std::string singleWords = single.name + " throughout, the fastest single backend within " + budget;
    if (chosen == bestSingle)
        return "No mixed policy was found within " + budget + " that is faster than " + singleWords + " (" +
               figuresOf(tuning, single) + "): the policy is that backend.";
    return "The policy: " + figuresOf(tuning, best) + "; " + singleWords + ": " + figuresOf(tuning, single) +
           ". The policy takes " + fixed(100 * (1 - best.measured.seconds / single.measured.seconds), 1) +
           " % less.";
}

std::string warmUpText(const Tuning& tuning) {
    std::string names;
    for (const TuningRender& render : tuning.renders)
        if (render.warmUpSeconds > 0)
            names +=
                (names.empty() ? "" : ", ") + render.name + " (" + fixed(render.warmUpSeconds, 2) + " s)";
    if (names.empty()) return {};
    return "The times compared leave out what first denoising steps took beyond later ones, as libraries "
           "start "
           "and kernels are compiled or tuned: " +
           names + ".";
}

}  // namespace reelgrid::tune
