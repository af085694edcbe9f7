#include "core/pipeline/memory_choice.h"

#include "core/protocol/ranks.h"

namespace reelgrid::pipeline {

MemoryChoice chooseMemory(const std::string& offload, std::uint64_t available, const ForecastFor& forecast) {
    std::vector<MemoryChoice> choices;
    if (offload != protocol::kOffloadBlocks)
        choices = {{Offload::None, Encoders::Kept}, {Offload::None, Encoders::FreedAfterUse}};
    if (offload != protocol::kOffloadNone) choices.push_back({Offload::Blocks, Encoders::FreedAfterUse});
    for (MemoryChoice& choice : choices) {
        choice.forecast = forecast(choice.offload, choice.encoders);
        if (!choice.forecast) return choice;
        if (choice.forecast->peak <= available) return choice;
    }
    return choices.back();
}

std::vector<std::string> optionsThatNeedLess(const catalog::RenderSettings& settings,
                                             const families::ModelInfo& model) {
    std::vector<std::string> ways;
    if (protocol::ranksOf(settings) > 1 && model.takes("shard_weights") && !settings.shardWeights)
        ways.emplace_back("--shard-weights");
    if (model.takes("offload") && !settings.shardWeights && settings.offload != protocol::kOffloadBlocks &&
        !settings.useTorchCompile)
        ways.emplace_back("--offload blocks");
    // Left open it is on already where the whole doesn't fit.
    if (model.takes("vae_tiling") && settings.vaeTiling == protocol::kTilingOff)
        ways.emplace_back("--vae-tiling on");
    if (settings.vaeDtype == "fp32") ways.emplace_back("--vae-dtype bf16");
    if (settings.dtype == "fp32") ways.emplace_back("--dtype bf16");
    return ways;
}

std::string waysToNeedLess(const catalog::RenderSettings& settings, const families::ModelInfo& model) {
    std::string text;
    for (const std::string& way : optionsThatNeedLess(settings, model)) text += way + ", ";
    return text + "a smaller size or fewer frames";
}

}  // namespace reelgrid::pipeline
