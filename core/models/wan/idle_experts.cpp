#include "core/models/wan/idle_experts.h"

#include "core/base/number_text.h"
#include "core/denoising/guidance.h"

namespace reelgrid::models::wan {
namespace {

std::string withoutEffect(const std::string& option, const std::string& why) {
    return option + " had no effect: " + why;
}

std::string numbered(const std::string& option, double value) {
    return option + " " + significant(value, 4);
}

/// Where it predicts in no step.
std::string whyIdle(Experts::Index expert, int steps) {
    return std::string(expert == Experts::kLowNoise ? "the second" : "the first") +
           " expert predicts in none of the " + std::to_string(steps) +
           " steps (--boundary is where the second begins)";
}

void addIdleGuidance(std::vector<std::string>& lines, const catalog::RenderSettings& settings,
                     const families::RenderDefaults& own, const ExpertSteps& steps) {
    if (!settings.guidanceScale2) return;
    const double first = settings.guidanceScale, second = *settings.guidanceScale2;
    // As in the reference, the first one's says whether there is guidance at all.
    if (!denoising::isGuided(settings)) {
        if (second > 1)
            lines.push_back(withoutEffect(numbered("--guidance-scale-2", second),
                                          "a --guidance-scale of " + significant(first, 4) +
                                              " is none, for both experts; only one above 1 is"));
        return;
    }
    if (first == second) return;
    const bool isOwnFirst = first == own.guidanceScale, isOwnSecond = second == own.guidanceScale2;
    if (steps[Experts::kLowNoise] == 0 && !(isOwnFirst && isOwnSecond))
        lines.push_back(withoutEffect(numbered("--guidance-scale-2", second),
                                      whyIdle(Experts::kLowNoise, settings.numInferenceSteps)));
    if (steps[Experts::kHighNoise] == 0 && !isOwnFirst)
        lines.push_back(withoutEffect(
            numbered("--guidance-scale", first),
            "any above 1 gives the same, " + whyIdle(Experts::kHighNoise, settings.numInferenceSteps)));
}

void addIdleLoras(std::vector<std::string>& lines, const catalog::RenderSettings& settings,
                  const ExpertSteps& steps) {
    // Without a choice of its own the second has the first's.
    if (settings.lora2.empty() || settings.lora2 == settings.lora) return;
    if (steps[Experts::kLowNoise] == 0)
        lines.push_back(withoutEffect("--lora-2", whyIdle(Experts::kLowNoise, settings.numInferenceSteps)));
    if (steps[Experts::kHighNoise] == 0 && !settings.lora.empty())
        lines.push_back(withoutEffect("--lora", whyIdle(Experts::kHighNoise, settings.numInferenceSteps)));
}

}  // namespace

std::vector<std::string> idleExpertSettings(const catalog::RenderSettings& settings,
                                            const families::RenderDefaults& own, const ExpertShares& shares) {
    std::vector<std::string> lines;
    // Timesteps only fall, so shares that are as large are of the same steps.
    if (settings.boundary && shares.asked == shares.own)
        lines.push_back(withoutEffect(numbered("--boundary", *settings.boundary),
                                      "the model's own gives each step to the same expert"));
    addIdleGuidance(lines, settings, own, shares.asked);
    addIdleLoras(lines, settings, shares.asked);
    return lines;
}

}  // namespace reelgrid::models::wan
