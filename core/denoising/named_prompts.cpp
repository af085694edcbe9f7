#include "core/denoising/named_prompts.h"

#include <string>

#include "core/denoising/guidance.h"
#include "core/denoising/prompt_travel.h"

namespace reelgrid::denoising {

std::vector<text::NamedPrompt> namedPrompts(const catalog::RenderSettings& settings) {
    std::vector<text::NamedPrompt> prompts;
    for (const auto& at : promptsAtFrames(settings))
        prompts.push_back(
            {at.frame == 0 ? "the prompt" : "the prompt at frame " + std::to_string(at.frame), at.prompt});
    if (isGuided(settings)) prompts.push_back({"the negative prompt", settings.negativePrompt});
    return prompts;
}

}  // namespace reelgrid::denoising
