#include "core/profile/event_group.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace reelgrid::profile {
namespace {

/// A word of a name in lower case, and what it tells. The first that fits counts.
struct Word {
    std::string_view text;
    Group group;
    std::string_view butNot{};  ///< where this is in the name too, the word tells nothing
};

/// For operators and for kernels of devices.
constexpr std::array kWords{
    Word{"attention", Group::Attention},
    Word{"attn", Group::Attention},
    Word{"flash_fwd", Group::Attention},
    Word{"flash::", Group::Attention},
    Word{"fmha", Group::Attention},
    Word{"sdpa", Group::Attention},
    Word{"softmax", Group::Attention},
    Word{"synchronize", Group::HostWaits},
    Word{"queuefinish", Group::HostWaits},
    Word{"eventwait", Group::HostWaits},
    Word{"aten::item", Group::HostWaits},
    Word{"local_scalar_dense", Group::HostWaits},
    Word{"conv", Group::Convolutions, "convert"},
    Word{"fprop", Group::Convolutions},
    Word{"dgrad", Group::Convolutions},
    Word{"wgrad", Group::Convolutions},
    Word{"norm", Group::Norms, "normal_"},
    Word{"aten::mm", Group::Products},
    Word{"aten::mv", Group::Products},
    Word{"aten::bmm", Group::Products},
    Word{"aten::dot", Group::Products},
    Word{"addmm", Group::Products},
    Word{"addmv", Group::Products},
    Word{"baddbmm", Group::Products},
    Word{"scaled_mm", Group::Products},
    Word{"aten::linear", Group::Products, "aten::linear_"},
    Word{"mkldnn_linear", Group::Products},
    Word{"mkldnn::_linear", Group::Products},
    Word{"int8_linear", Group::Products},
    Word{"mkldnn::_reorder", Group::Copies},
    Word{"matmul", Group::Products},
    Word{"einsum", Group::Products},
    Word{"gemm", Group::Products},
    Word{"gemv", Group::Products},
    Word{"cutlass", Group::Products},
    Word{"nvjet", Group::Products},
    Word{"splitkreduce", Group::Products},
    Word{"memcpy", Group::Copies},
    Word{"memset", Group::Copies},
    Word{"copy", Group::Copies},
    Word{"aten::to", Group::Copies, "aten::topk"},
    Word{"aten::clone", Group::Copies},
    Word{"aten::contiguous", Group::Copies},
    Word{"aten::cat", Group::Copies},
    Word{"aten::stack", Group::Copies},
    Word{"aten::fill_", Group::Copies},
    Word{"aten::zero_", Group::Copies},
    Word{"constant_pad", Group::Copies},
    Word{"catarray", Group::Copies},
    Word{"elementwise", Group::Elementwise},
    Word{"triton_poi", Group::Elementwise},
};

/// Operators of one value in, one value out, whole names behind "aten::".
constexpr std::array<std::string_view, 34> kElementwise{
    "add",     "add_",     "sub",     "sub_",  "rsub",   "mul",        "mul_",  "div",  "div_",
    "addcmul", "addcmul_", "neg",     "pow",   "square", "sqrt",       "rsqrt", "exp",  "sin",
    "cos",     "tanh",     "sigmoid", "gelu",  "gelu_",  "silu",       "silu_", "relu", "clamp",
    "clamp_",  "lerp",     "where",   "round", "round_", "reciprocal", "abs"};

/// The dispatcher's ranges, by kind: "self-attention fav2".
constexpr std::array<std::string_view, 4> kAttentionRanges{"self-attention ", "cross-attention ",
                                                           "joint attention ", "temporal attention "};

constexpr std::array<std::string_view, 7> kStages{"load",   "text",    "image", "denoise",
                                                  "decode", "metrics", "encode"};

std::string lowerCase(std::string_view text) {
    std::string lower(text);
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
    return lower;
}

std::optional<Group> groupOfRange(std::string_view name) {
    for (const std::string_view range : kAttentionRanges)
        if (name.starts_with(range)) return Group::Attention;
    if (name == "norms") return Group::Norms;
    // Its products name themselves; what is left is the activation.
    if (name == "feed-forward") return Group::Elementwise;
    return std::nullopt;
}

bool isNumbered(std::string_view name, std::string_view before) {
    if (!name.starts_with(before) || name.size() == before.size()) return false;
    return std::ranges::all_of(name.substr(before.size()), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

const char* nameOf(Group group) {
    for (const GroupInfo& info : kGroups)
        if (info.group == group) return info.name;
    return "";
}

std::optional<Group> ownGroup(EventKind kind, std::string_view name) {
    if (kind == EventKind::Range) return groupOfRange(name);
    if (kind == EventKind::Copy || kind == EventKind::Fill) return Group::Copies;
    const std::string lower = lowerCase(name);
    constexpr std::string_view kAten = "aten::";
    if (lower.starts_with(kAten) &&
        std::ranges::find(kElementwise, std::string_view(lower).substr(kAten.size())) != kElementwise.end())
        return Group::Elementwise;
    for (const Word& word : kWords)
        if (lower.find(word.text) != std::string::npos &&
            (word.butNot.empty() || lower.find(word.butNot) == std::string::npos))
            return word.group;
    return std::nullopt;
}

Group groupWithin(Group outer, std::optional<Group> own) {
    if (own == Group::HostWaits) return Group::HostWaits;
    if (outer == Group::Attention || outer == Group::Convolutions || outer == Group::Norms) return outer;
    return own.value_or(outer == Group::Products ? Group::Products : Group::Other);
}

std::optional<PlaceKind> placeOf(EventKind kind, std::string_view name) {
    if (kind != EventKind::Range) return std::nullopt;
    if (isNumbered(name, "step ") || isNumbered(name, "ProfilerStep#")) return PlaceKind::Step;
    if (isNumbered(name, "layer ")) return PlaceKind::Layer;
    if (std::ranges::find(kStages, name) != kStages.end()) return PlaceKind::Stage;
    return std::nullopt;
}

}  // namespace reelgrid::profile
