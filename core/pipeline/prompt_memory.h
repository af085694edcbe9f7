#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "core/pipeline/video_model.h"

namespace reelgrid::pipeline {

/// A text encoder that stays in memory, or is there only while a prompt needs it; then the embeddings of the
/// last prompts stay, so that renders of one prompt load it once.
template <class Encoder, class Embedding>
class PromptMemory {
  public:
    /// Loads the encoder now where it is to stay. `load` may throw Failure.
    PromptMemory(Encoders residence, std::function<Encoder()> load)
        : m_residence(residence), m_load(std::move(load)) {
        if (m_residence == Encoders::Kept) this->load();
    }

    /// Whether embedding() would find what it needs in memory: the encoder, or this prompt's embedding.
    [[nodiscard]] bool isReadyFor(const std::string& prompt) const {
        return m_encoder || std::ranges::find(m_known, prompt, &Known::prompt) != m_known.end();
    }
    void load() {
        if (!m_encoder) m_encoder.emplace(m_load());
    }
    /// Frees the encoder, unless it is kept.
    void release() {
        if (m_residence == Encoders::FreedAfterUse) m_encoder.reset();
    }

    /// `make`(encoder), or what it made of the same prompt before.
    template <class Make>
    [[nodiscard]] Embedding embedding(const std::string& prompt, const Make& make) {
        if (m_residence == Encoders::Kept) return make(*m_encoder);
        const auto known = std::ranges::find(m_known, prompt, &Known::prompt);
        if (known != m_known.end()) return known->embedding;
        load();
        m_known.push_back({prompt, make(*m_encoder)});
        if (m_known.size() > kMostKnown) m_known.pop_front();
        return m_known.back().embedding;
    }

  private:
    /// Prompts and negative prompts of as many renders as follow one another in a comparison.
    static constexpr std::size_t kMostKnown = 16;
    struct Known {
        std::string prompt;
        Embedding embedding;
    };

    Encoders m_residence;
    std::function<Encoder()> m_load;
    std::optional<Encoder> m_encoder;
    std::deque<Known> m_known;  ///< only where the encoder is freed
};

}  // namespace reelgrid::pipeline
