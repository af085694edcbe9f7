#include "core/denoising/prompt_memory.h"

#include <algorithm>
#include <utility>

#include "core/denoising/guidance.h"

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

EncodedPrompts encodePrompts(PromptMemory& memory, const catalog::RenderSettings& settings,
                             StageClock& clock) {
    const bool guided = isGuided(settings);
    clock.begin("text", guided ? 2 : 1);
    const auto encode = [&](const std::string& prompt) {
        if (!memory.isReadyFor(prompt)) clock.aside("load", [&] { memory.load(); });
        return memory.encode(prompt);
    };
    EncodedPrompts prompts{encode(settings.prompt), {}};
    clock.advance(1);
    if (guided) {
        prompts.negative = encode(settings.negativePrompt);
        clock.advance(2);
    }
    memory.release();
    return prompts;
}

}  // namespace reelgrid::denoising
