#include "core/denoising/prompt_memory.h"

#include <algorithm>
#include <utility>

#include "core/denoising/guidance.h"
#include "core/parallel/rank_group.h"
#include "core/parallel/shared_tensors.h"

namespace reelgrid::denoising {
namespace {

/// Prompts and negative prompts of as many renders as follow one another in a comparison.
constexpr std::size_t kMostKnownPrompts = 16;

}  // namespace

PromptMemory::PromptMemory(Encoders residence, Load load) : m_residence(residence), m_load(std::move(load)) {
    if (m_residence == Encoders::Kept) this->load();
}

bool PromptMemory::isReadyFor(const std::string& prompt) const {
    return m_encoder || std::ranges::find(m_known, prompt, &Known::prompt) != m_known.end();
}

void PromptMemory::load() {
    if (!m_encoder) m_encoder = m_load();
}

void PromptMemory::release() {
    if (m_residence == Encoders::FreedAfterUse) m_encoder.reset();
}

NamedTensors PromptMemory::encode(const std::string& prompt) {
    if (m_residence == Encoders::Kept) return m_encoder->encode(prompt);
    const auto known = std::ranges::find(m_known, prompt, &Known::prompt);
    if (known != m_known.end()) return known->tensors;
    load();
    m_known.push_back({prompt, m_encoder->encode(prompt)});
    if (m_known.size() > kMostKnownPrompts) m_known.pop_front();
    return m_known.back().tensors;
}

namespace {

/// Of several ranks the first one alone has the encoders.
NamedTensors encodeOnce(PromptMemory& memory, const std::string& prompt, StageClock& clock) {
    const execution::Execution& execution = clock.execution();
    if (execution.rank > 0)
        return parallel::sharedFromFirst(execution.mesh->group().all(), {}, execution.device);
    if (!memory.isReadyFor(prompt)) clock.aside("load", [&] { memory.load(); });
    NamedTensors encoded = memory.encode(prompt);
    if (execution.mesh == nullptr) return encoded;
    return parallel::sharedFromFirst(execution.mesh->group().all(), encoded, execution.device);
}

}  // namespace

std::vector<NamedTensors> encodePrompts(PromptMemory& memory, const std::vector<std::string>& prompts,
                                        StageClock& clock) {
    clock.begin("text", static_cast<int>(prompts.size()));
    std::vector<NamedTensors> encoded;
    for (const std::string& prompt : prompts) {
        encoded.push_back(encodeOnce(memory, prompt, clock));
        clock.advance(static_cast<int>(encoded.size()));
    }
    memory.release();
    return encoded;
}

EncodedPrompts encodePrompts(PromptMemory& memory, const catalog::RenderSettings& settings,
                             StageClock& clock) {
    std::vector<std::string> prompts{settings.prompt};
    if (isGuided(settings)) prompts.push_back(settings.negativePrompt);
    std::vector<NamedTensors> encoded = encodePrompts(memory, prompts, clock);
    EncodedPrompts of{std::move(encoded.front()), {}};
    if (encoded.size() > 1) of.negative = std::move(encoded.back());
    return of;
}

}  // namespace reelgrid::denoising
