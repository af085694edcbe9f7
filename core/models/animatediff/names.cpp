#include "core/models/animatediff/names.h"

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace reelgrid::models::animatediff {
namespace {

using Renaming = std::pair<std::string_view, std::string_view>;

void replaceFirst(std::string& name, std::string_view from, std::string_view to) {
    if (const auto at = name.find(from); at != std::string::npos) name.replace(at, from.size(), to);
}

void replaceStart(std::string& name, std::string_view from, std::string_view to) {
    if (name.starts_with(from)) name.replace(0, from.size(), to);
}

constexpr std::array kInAuthorsModule{
    Renaming{".attn1.", ".attention_blocks.0."},
    Renaming{".attn2.", ".attention_blocks.1."},
    Renaming{".norm1.", ".norms.0."},
    Renaming{".norm2.", ".norms.1."},
    Renaming{".norm3.", ".ff_norm."},
};

constexpr std::array kInLdmResidual{
    Renaming{"norm1.", "in_layers.0."},          Renaming{"conv1.", "in_layers.2."},
    Renaming{"time_emb_proj.", "emb_layers.1."}, Renaming{"norm2.", "out_layers.0."},
    Renaming{"conv2.", "out_layers.3."},         Renaming{"conv_shortcut.", "skip_connection."},
};

constexpr std::array kLdmOutside{
    Renaming{"time_embedding.linear_1.", "time_embed.0."},
    Renaming{"time_embedding.linear_2.", "time_embed.2."},
    Renaming{"conv_in.", "input_blocks.0.0."},
    Renaming{"conv_norm_out.", "out.0."},
    Renaming{"conv_out.", "out.2."},
};

/// "a.b.c" at its first `count` dots, the rest last.
std::vector<std::string> partsOf(const std::string& name, std::size_t count) {
    std::vector<std::string> parts;
    std::size_t begin = 0;
    while (parts.size() < count) {
        const std::size_t dot = name.find('.', begin);
        if (dot == std::string::npos) break;
        parts.push_back(name.substr(begin, dot - begin));
        begin = dot + 1;
    }
    parts.push_back(name.substr(begin));
    return parts;
}

std::string ofLdmResidual(std::string rest) {
    for (const auto& [now, then] : kInLdmResidual) replaceStart(rest, now, then);
    return rest;
}

}  // namespace

std::string authorsMotionName(const std::string& name) {
    const std::vector<std::string> parts = partsOf(name, 4);
    // "mid_block.motion_modules.0.rest" has no number of a block.
    const std::size_t places = name.starts_with("mid_block.") ? 3 : 4;
    if (name.find(".motion_modules.") == std::string::npos || parts.size() < places + 1) return name;
    std::string module, rest = "." + parts.back();
    for (std::size_t i = 0; i < places; ++i) module += (i == 0 ? "" : ".") + parts[i];
    for (std::size_t i = parts.size() - 2; i >= places; --i) rest = "." + parts[i] + rest;
    for (const auto& [now, then] : kInAuthorsModule) replaceFirst(rest, now, then);
    // The positions are a part of the first of the attention blocks there.
    replaceFirst(rest, ".pos_embed.pe", ".attention_blocks.0.pos_encoder.pe");
    return module + ".temporal_transformer" + rest;
}

std::string ldmUnetName(const std::string& name, std::int64_t layersPerBlock, std::int64_t blocks) {
    for (const auto& [now, then] : kLdmOutside)
        if (name.starts_with(now)) return std::string(then) + name.substr(now.size());
    if (name.starts_with("mid_block.")) {
        const std::vector<std::string> parts = partsOf(name, 3);  // mid_block, resnets, 0, rest
        if (parts.size() < 4) return name;
        if (parts[1] == "attentions") return "middle_block.1." + parts[3];
        return "middle_block." + std::string(parts[2] == "0" ? "0." : "2.") + ofLdmResidual(parts[3]);
    }
    const std::vector<std::string> parts = partsOf(name, 4);  // down_blocks, 0, resnets, 1, rest
    if (parts.size() < 5) return name;
    const bool down = parts[0] == "down_blocks";
    const std::int64_t block = std::stoll(parts[1]), layer = std::stoll(parts[3]);
    const std::int64_t stride = layersPerBlock + 1;
    const std::string ldmBlocks = down ? "input_blocks." : "output_blocks.";
    const std::string place = ldmBlocks + std::to_string(block * stride + layer + (down ? 1 : 0)) + ".";
    if (parts[2] == "resnets") return place + "0." + ofLdmResidual(parts[4]);
    if (parts[2] == "attentions") return place + "1." + parts[4];
    if (parts[2] == "downsamplers")
        return ldmBlocks + std::to_string((block + 1) * stride) + ".0.op." + partsOf(parts[4], 1).back();
    // Behind a block's last residual layer, and behind its attention where it has one: only the innermost
    // block, which is the first, has none.
    const bool plain = block == 0 && blocks > 1;
    return ldmBlocks + std::to_string(block * stride + layersPerBlock) + (plain ? ".1." : ".2.") + parts[4];
}

}  // namespace reelgrid::models::animatediff
