#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace reelgrid::protocol {

/// The backend that all others are measured against, and that runs where nothing else is asked for.
inline const std::string kReferenceBackend = "sdpa";
/// Asks for what the family's reference implementation uses.
inline const std::string kDefaultBackend = "default";

/// What attends to what. Joint is self-attention over text and video tokens in one sequence (MMDiT,
/// CogVideoX); temporal is attention along time alone (motion modules).
enum class ModuleKind { Self, Cross, Joint, Temporal };

/// The forward pass of classifier-free guidance that a call belongs to.
enum class GuidanceBranch { Conditional, Unconditional };

/// The one table of kinds: how files and options spell them, how a sentence does, and whether
/// --attention-type covers them. Quantised and sparse backends are made for long sequences of video tokens;
/// in the other kinds they take part only when a rule asks.
struct ModuleKindInfo {
    ModuleKind kind;
    const char* name;
    const char* phrase;
    bool followsAttentionType;
};
inline constexpr std::array kModuleKinds{
    ModuleKindInfo{ModuleKind::Self, "self", "self-attention", true},
    ModuleKindInfo{ModuleKind::Cross, "cross", "cross-attention", false},
    ModuleKindInfo{ModuleKind::Joint, "joint", "joint attention", true},
    ModuleKindInfo{ModuleKind::Temporal, "temporal", "temporal attention", false},
};
const ModuleKindInfo& infoOf(ModuleKind kind);
std::optional<ModuleKind> moduleKindFrom(std::string_view name);

const char* nameOf(ModuleKind kind);
const char* nameOf(GuidanceBranch branch);

/// Which call of the model this is.
struct CallSite {
    ModuleKind kind = ModuleKind::Self;
    int layer = 0;
};

/// One forward pass of the denoise loop, its step counted from 0 in the order of denoising.
struct Pass {
    int step = 0;
    GuidanceBranch branch = GuidanceBranch::Conditional;
};

/// What became of the calls of one (module kind, requested, used): nothing is ever replaced in silence.
struct CallRecord {
    ModuleKind kind = ModuleKind::Self;
    std::string requested;
    std::string used;
    std::string why;  ///< why another one ran, or what the requested one left out; empty: nothing to say
    std::uint64_t calls = 0;
    std::optional<double> seconds;  ///< wall time inside the attention, summed; absent: not measured
    /// Of sparse backends: the share of the pairs of blocks that was attended to, on average; absent:
    /// unknown.
    std::optional<double> kept{};

    /// Whether attention_type covers such calls and another backend than the requested one served them.
    [[nodiscard]] bool isSubstituted() const {
        return infoOf(kind).followsAttentionType && used != requested;
    }
    bool operator==(const CallRecord&) const = default;
};

}  // namespace reelgrid::protocol
