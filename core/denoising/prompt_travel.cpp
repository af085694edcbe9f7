#include "core/denoising/prompt_travel.h"

#include <string>

#include "core/base/result.h"

namespace reelgrid::denoising {

std::vector<protocol::PromptAt> promptsAtFrames(const catalog::RenderSettings& settings) {
    auto prompts = protocol::promptTravelFrom(settings.promptTravel).value();
    if (prompts.empty() || prompts.front().frame > 0) prompts.insert(prompts.begin(), {0, settings.prompt});
    if (prompts.back().frame >= settings.numFrames)
        throw Failure(ErrorCode::BadUsage, "--prompt-travel: a prompt at frame " +
                                               std::to_string(prompts.back().frame) + ", one from 0 to " +
                                               std::to_string(settings.numFrames - 1) + " was needed");
    return prompts;
}

at::Tensor textOfFrames(const std::vector<protocol::PromptAt>& prompts,
                        const std::vector<at::Tensor>& texts_1NX, std::int64_t frames) {
    if (prompts.size() == 1) return texts_1NX.front();
    std::vector<at::Tensor> of_1NX;
    for (std::size_t i = 0; i + 1 < prompts.size(); ++i) {
        const int length = prompts[i + 1].frame - prompts[i].frame;
        for (int step = 0; step < length; ++step) {
            const double share = static_cast<double>(step) / length;
            of_1NX.push_back((1 - share) * texts_1NX[i] + share * texts_1NX[i + 1]);
        }
    }
    while (static_cast<std::int64_t>(of_1NX.size()) < frames) of_1NX.push_back(texts_1NX[prompts.size() - 1]);
    return at::cat(of_1NX);
}

}  // namespace reelgrid::denoising
