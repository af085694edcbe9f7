#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/catalog/render_settings.h"
#include "core/denoising/load_options.h"
#include "core/denoising/named_tensors.h"
#include "core/denoising/stage_clock.h"

namespace reelgrid::denoising {

/// A family's text encoders, loaded: one or several.
class PromptEncoder {
  public:
    virtual ~PromptEncoder() = default;
    /// A prompt as the family's network takes it: a tensor for each thing that it is told, by the family's
    /// own names ("text", "pooled").
    [[nodiscard]] virtual NamedTensors encode(const std::string& prompt) const = 0;
};

/// Text encoders that stay in memory, or are there only while a prompt needs them; then what the last prompts
/// became stays, so that renders of one prompt load them once.
class PromptMemory {
  public:
    using Load = std::function<std::unique_ptr<PromptEncoder>()>;

    /// Loads the encoders now where they are to stay. `load` may throw Failure.
    PromptMemory(Encoders residence, Load load);

    /// Whether encode() would find what it needs in memory: the encoders, or this prompt's tensors.
    [[nodiscard]] bool isReadyFor(const std::string& prompt) const;
    void load();
    /// Frees the encoders, unless they are kept.
    void release();

    [[nodiscard]] NamedTensors encode(const std::string& prompt);

  private:
    struct Known {
        std::string prompt;
        NamedTensors tensors;
    };

    Encoders m_residence;
    Load m_load;
    std::unique_ptr<PromptEncoder> m_encoder;
    std::deque<Known> m_known;  ///< only where the encoders are freed
};

/// A render's prompts; without guidance there is no negative one.
struct EncodedPrompts {
    NamedTensors prompt;
    std::optional<NamedTensors> negative;
};

/// The stage "text" with any prompts; what each becomes. Of several ranks the first one encodes for all.
std::vector<NamedTensors> encodePrompts(PromptMemory& memory, const std::vector<std::string>& prompts,
                                        StageClock& clock);
/// The stage "text", for families that take prompts.
EncodedPrompts encodePrompts(PromptMemory& memory, const catalog::RenderSettings& settings,
                             StageClock& clock);

}  // namespace reelgrid::denoising
