#include "core/models/wan/original_names.h"

#include <array>
#include <span>
#include <string_view>

#include "core/weights/renamed_weights.h"

namespace reelgrid::models::wan {
namespace {

struct Renaming {
    std::string_view diffusers, original;
};

constexpr std::array kWhole{
    Renaming{"condition_embedder.time_embedder.linear_1.", "time_embedding.0."},
    Renaming{"condition_embedder.time_embedder.linear_2.", "time_embedding.2."},
    Renaming{"condition_embedder.time_proj.", "time_projection.1."},
    Renaming{"condition_embedder.text_embedder.linear_1.", "text_embedding.0."},
    Renaming{"condition_embedder.text_embedder.linear_2.", "text_embedding.2."},
    Renaming{"condition_embedder.image_embedder.norm1.", "img_emb.proj.0."},
    Renaming{"condition_embedder.image_embedder.ff.net.0.proj.", "img_emb.proj.1."},
    Renaming{"condition_embedder.image_embedder.ff.net.2.", "img_emb.proj.3."},
    Renaming{"condition_embedder.image_embedder.norm2.", "img_emb.proj.4."},
    Renaming{"condition_embedder.image_embedder.pos_embed", "img_emb.emb_pos"},
    Renaming{"scale_shift_table", "head.modulation"},
    Renaming{"proj_out.", "head.head."},
};
/// Below "blocks.N.".
constexpr std::array kInBlock{
    Renaming{"scale_shift_table", "modulation"},
    Renaming{"attn1.", "self_attn."},
    Renaming{"attn2.", "cross_attn."},
    Renaming{"norm2.", "norm3."},
    Renaming{"norm3.", "norm2."},
    Renaming{"ffn.net.0.proj.", "ffn.0."},
    Renaming{"ffn.net.2.", "ffn.2."},
};
/// Below an attention.
constexpr std::array kInAttention{
    Renaming{"to_q.", "q."},
    Renaming{"to_k.", "k."},
    Renaming{"to_v.", "v."},
    Renaming{"to_out.0.", "o."},
    Renaming{"add_k_proj.", "k_img."},
    Renaming{"add_v_proj.", "v_img."},
    Renaming{"norm_added_k.", "norm_k_img."},
};

/// What ComfyUI, and those that convert for it, may put before the names.
constexpr std::array<std::string_view, 3> kPrefixes{"", "model.diffusion_model.", "diffusion_model."};

std::string renamed(std::string_view name, std::span<const Renaming> table) {
    for (const auto& [diffusers, original] : table)
        if (name.starts_with(diffusers))
            return std::string(original) + std::string(name.substr(diffusers.size()));
    return std::string(name);
}

std::string renamedInBlock(std::string_view name) {
    const std::string inBlock = renamed(name, kInBlock);
    for (const std::string_view attention : {"self_attn.", "cross_attn."})
        if (inBlock.starts_with(attention))
            return std::string(attention) +
                   renamed(std::string_view(inBlock).substr(attention.size()), kInAttention);
    return inBlock;
}

}  // namespace

std::string originalTransformerName(const std::string& name) {
    constexpr std::string_view kBlocks = "blocks.";
    const auto dot = name.starts_with(kBlocks) ? name.find('.', kBlocks.size()) : std::string::npos;
    if (dot == std::string::npos) return renamed(name, kWhole);
    return name.substr(0, dot + 1) + renamedInBlock(std::string_view(name).substr(dot + 1));
}

std::unique_ptr<weights::WeightSource> byDiffusersNames(std::unique_ptr<weights::WeightSource> checkpoint) {
    constexpr const char* kEveryOriginalHas = "time_projection.1.weight";
    for (const std::string_view prefix : kPrefixes)
        if (checkpoint->has(std::string(prefix) + kEveryOriginalHas))
            return std::make_unique<weights::RenamedWeights>(
                std::move(checkpoint), [prefix](const std::string& name) {
                    return std::string(prefix) + originalTransformerName(name);
                });
    return checkpoint;
}

}  // namespace reelgrid::models::wan
