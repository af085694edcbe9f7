#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace reelgrid::kernels {

/// Where the tokens of a sequence lie in a clip: row by row of each frame in turn, with tokens of text before
/// or behind all of them.
struct TokenGrid {
    std::int64_t frames = 0, rows = 0, columns = 0;  ///< 0: nobody knows
    std::int64_t textBefore = 0, textAfter = 0;

    [[nodiscard]] constexpr bool isKnown() const { return frames > 0; }
    /// Of clip and text together.
    [[nodiscard]] constexpr std::int64_t tokens() const {
        return textBefore + frames * rows * columns + textAfter;
    }
    bool operator==(const TokenGrid&) const = default;
};

/// A parameter of a backend and its value ("window", "3,3,3").
struct OptionValue {
    std::string key, value;

    bool operator==(const OptionValue&) const = default;
};

/// Which call of a render a problem is, for backends that ask. What nobody knows is empty, 0 or −1. The texts
/// and options outlive the call.
struct CallContext {
    /// Of the queries; of the keys too, but in cross-attention. A batch is of several such sequences: those
    /// of frames (self-attention of an image network: one frame each), or of places (along time: one row and
    /// one column each).
    TokenGrid grid{};
    const char* module = "";  ///< "self", "cross", "joint", "temporal"
    const char* branch = "";  ///< of guidance: "conditional", "unconditional"
    const char* family = "";  ///< the model's: "wan"
    int layer = -1;           ///< from 0
    int step = -1;            ///< from 0 in the order of denoising
    int steps = 0;            ///< of the render
    /// Every parameter that the backend has, at its default or as --backend-option sets it.
    std::span<const OptionValue> options{};
};

}  // namespace reelgrid::kernels
