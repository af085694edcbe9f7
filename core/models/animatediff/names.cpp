#include "core/models/animatediff/names.h"

#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "core/models/unet/ldm_names.h"

namespace reelgrid::models::animatediff {
namespace {

using Renaming = std::pair<std::string_view, std::string_view>;

void replaceFirst(std::string& name, std::string_view from, std::string_view to) {
    if (const auto at = name.find(from); at != std::string::npos) name.replace(at, from.size(), to);
}

constexpr std::array kInAuthorsModule{
    Renaming{".attn1.", ".attention_blocks.0."},
    Renaming{".attn2.", ".attention_blocks.1."},
    Renaming{".norm1.", ".norms.0."},
    Renaming{".norm2.", ".norms.1."},
    Renaming{".norm3.", ".ff_norm."},
};

}  // namespace

std::string authorsMotionName(const std::string& name) {
    const std::vector<std::string> parts = unet::partsOf(name, 4);
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

}  // namespace reelgrid::models::animatediff
