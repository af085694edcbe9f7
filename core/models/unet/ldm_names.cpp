#include "core/models/unet/ldm_names.h"

#include <array>
#include <string_view>
#include <utility>

namespace reelgrid::models::unet {
namespace {

using Renaming = std::pair<std::string_view, std::string_view>;

void replaceStart(std::string& name, std::string_view from, std::string_view to) {
    if (name.starts_with(from)) name.replace(0, from.size(), to);
}

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

std::string ofLdmResidual(std::string rest) {
    for (const auto& [now, then] : kInLdmResidual) replaceStart(rest, now, then);
    return rest;
}

}  // namespace

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

}  // namespace reelgrid::models::unet
