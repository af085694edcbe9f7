#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace reelgrid::text {

/// A text for an encoder, and what a reader calls it: "the prompt", "the negative prompt".
struct NamedPrompt {
    std::string name, text;
};

/// "the prompt is cut at 77 tokens, this is not seen: …"; `reader` names the encoder where a model has
/// several ("… at 77 tokens for CLIP ViT-L, this …").
std::string cutLine(const std::string& name, std::size_t length, const std::string& cut,
                    const std::string& reader = {});

/// A line for each prompt that has no room in so many tokens.
template <class Tokenizer>
std::vector<std::string> cutPrompts(const Tokenizer& tokenizer, std::size_t length,
                                    const std::vector<NamedPrompt>& prompts, const std::string& reader = {}) {
    std::vector<std::string> lines;
    for (const NamedPrompt& prompt : prompts)
        if (const std::string cut = tokenizer.encode(prompt.text, length).cut; !cut.empty())
            lines.push_back(cutLine(prompt.name, length, cut, reader));
    return lines;
}

}  // namespace reelgrid::text
