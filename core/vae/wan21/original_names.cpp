#include "core/vae/wan21/original_names.h"

#include <array>
#include <charconv>
#include <string_view>
#include <utility>

namespace reelgrid::vae::wan21 {
namespace {

struct Renaming {
    std::string_view diffusers, original;
};

constexpr std::array kWhole{
    Renaming{"quant_conv.", "conv1."},
    Renaming{"post_quant_conv.", "conv2."},
};
/// Of the encoder and the decoder.
constexpr std::array kParts{
    Renaming{"conv_in.", "conv1."},
    Renaming{"norm_out.", "head.0."},
    Renaming{"conv_out.", "head.2."},
    Renaming{"mid_block.resnets.0.", "middle.0."},
    Renaming{"mid_block.attentions.0.", "middle.1."},
    Renaming{"mid_block.resnets.1.", "middle.2."},
};
/// Of a residual block: the original's is a sequence, in which activation and dropout count.
constexpr std::array kInBlock{
    Renaming{"norm1.", "residual.0."},       Renaming{"conv1.", "residual.2."},
    Renaming{"norm2.", "residual.3."},       Renaming{"conv2.", "residual.6."},
    Renaming{"conv_shortcut.", "shortcut."},
};

template <std::size_t count>
std::string renamed(std::string_view name, const std::array<Renaming, count>& table) {
    for (const auto& [diffusers, original] : table)
        if (name.starts_with(diffusers))
            return std::string(original) + std::string(name.substr(diffusers.size()));
    return std::string(name);
}

/// Takes `prefix` and a number with its dot from the front; −1 where they aren't there.
std::int64_t takeIndex(std::string_view& name, std::string_view prefix) {
    if (!name.starts_with(prefix)) return -1;
    const std::string_view rest = name.substr(prefix.size());
    std::int64_t index = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), index);
    if (error != std::errc() || end == rest.data() + rest.size() || *end != '.') return -1;
    name = rest.substr(std::size_t(end - rest.data()) + 1);
    return index;
}

/// The same in Wan 2.2's VAE, whose levels are sequences of their own; empty for what is in no level.
std::string originalLevel(std::string_view name, const WanVaeConfig& config) {
    struct Side {
        std::string_view blocks, change, original;
        std::int64_t resnets;
    };
    for (const Side& side : {Side{"down_blocks.", "downsampler.", "downsamples.", config.numResBlocks},
                             Side{"up_blocks.", "upsampler.", "upsamples.", config.numResBlocks + 1}}) {
        std::string_view rest = name;
        const auto level = takeIndex(rest, side.blocks);
        if (level < 0) continue;
        const std::string below =
            std::string(side.original) + std::to_string(level) + "." + std::string(side.original);
        if (const auto block = takeIndex(rest, "resnets."); block >= 0)
            return below + std::to_string(block) + "." + renamed(rest, kInBlock);
        if (rest.starts_with(side.change))
            return below + std::to_string(side.resnets) + "." + std::string(rest.substr(side.change.size()));
    }
    return {};
}

/// Below "encoder." or "decoder.". The original's levels are one sequence of residual blocks and size
/// changes, as diffusers' encoder has them, too; its decoder has them by level.
std::string originalPart(std::string_view name, const WanVaeConfig& config) {
    if (config.isResidual) {
        if (const std::string inLevel = originalLevel(name, config); !inLevel.empty()) return inLevel;
    } else if (const auto index = takeIndex(name, "down_blocks."); index >= 0) {
        return "downsamples." + std::to_string(index) + "." + renamed(name, kInBlock);
    } else if (const auto level = takeIndex(name, "up_blocks."); level >= 0) {
        const std::int64_t blocks = config.numResBlocks + 1, first = level * (blocks + 1);
        if (const auto block = takeIndex(name, "resnets."); block >= 0)
            return "upsamples." + std::to_string(first + block) + "." + renamed(name, kInBlock);
        if (takeIndex(name, "upsamplers.") >= 0)
            return "upsamples." + std::to_string(first + blocks) + "." + std::string(name);
    }
    const std::string part = renamed(name, kParts);
    for (const std::string_view block : {"middle.0.", "middle.2."})
        if (part.starts_with(block))
            return std::string(block) + renamed(std::string_view(part).substr(block.size()), kInBlock);
    return part;
}

}  // namespace

std::string originalName(const std::string& name, const WanVaeConfig& config) {
    for (const std::string_view half : {"encoder.", "decoder."})
        if (name.starts_with(half))
            return std::string(half) + originalPart(std::string_view(name).substr(half.size()), config);
    return renamed(name, kWhole);
}

}  // namespace reelgrid::vae::wan21
