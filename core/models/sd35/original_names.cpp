#include "core/models/sd35/original_names.h"

#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace reelgrid::models::sd35 {
namespace {

using weights::WeightSource;

constexpr const char* kFilePrefix = "model.diffusion_model.";

struct Renaming {
    std::string_view diffusers, original;
};
/// Outside of the blocks.
constexpr std::array kWhole{
    Renaming{"pos_embed.pos_embed", "pos_embed"},
    Renaming{"pos_embed.proj.", "x_embedder.proj."},
    Renaming{"time_text_embed.timestep_embedder.linear_1.", "t_embedder.mlp.0."},
    Renaming{"time_text_embed.timestep_embedder.linear_2.", "t_embedder.mlp.2."},
    Renaming{"time_text_embed.text_embedder.linear_1.", "y_embedder.mlp.0."},
    Renaming{"time_text_embed.text_embedder.linear_2.", "y_embedder.mlp.2."},
    Renaming{"norm_out.linear.", "final_layer.adaLN_modulation.1."},
    Renaming{"proj_out.", "final_layer.linear."},
};
/// Within a block.
constexpr std::array kInBlock{
    Renaming{"norm1.linear.", "x_block.adaLN_modulation.1."},
    Renaming{"norm1_context.linear.", "context_block.adaLN_modulation.1."},
    Renaming{"attn.to_q.", "x_block.attn.qkv."},
    Renaming{"attn.to_k.", "x_block.attn.qkv."},
    Renaming{"attn.to_v.", "x_block.attn.qkv."},
    Renaming{"attn.norm_q.", "x_block.attn.ln_q."},
    Renaming{"attn.norm_k.", "x_block.attn.ln_k."},
    Renaming{"attn.to_out.0.", "x_block.attn.proj."},
    Renaming{"attn.add_q_proj.", "context_block.attn.qkv."},
    Renaming{"attn.add_k_proj.", "context_block.attn.qkv."},
    Renaming{"attn.add_v_proj.", "context_block.attn.qkv."},
    Renaming{"attn.norm_added_q.", "context_block.attn.ln_q."},
    Renaming{"attn.norm_added_k.", "context_block.attn.ln_k."},
    Renaming{"attn.to_add_out.", "context_block.attn.proj."},
    Renaming{"attn2.to_q.", "x_block.attn2.qkv."},
    Renaming{"attn2.to_k.", "x_block.attn2.qkv."},
    Renaming{"attn2.to_v.", "x_block.attn2.qkv."},
    Renaming{"attn2.norm_q.", "x_block.attn2.ln_q."},
    Renaming{"attn2.norm_k.", "x_block.attn2.ln_k."},
    Renaming{"attn2.to_out.0.", "x_block.attn2.proj."},
    Renaming{"ff.net.0.proj.", "x_block.mlp.fc1."},
    Renaming{"ff.net.2.", "x_block.mlp.fc2."},
    Renaming{"ff_context.net.0.proj.", "context_block.mlp.fc1."},
    Renaming{"ff_context.net.2.", "context_block.mlp.fc2."},
};
constexpr std::string_view kBlocks = "transformer_blocks.";

template <class Table>
std::string renamed(std::string_view name, const Table& table) {
    for (const Renaming& each : table)
        if (name.starts_with(each.diffusers))
            return std::string(each.original).append(name.substr(each.diffusers.size()));
    return std::string(name);
}

/// Which third of a product of queries, keys and values a name is.
std::optional<int> thirdOf(const std::string& name) {
    constexpr std::array<std::array<std::string_view, 2>, 3> kThirds{
        {{".to_q.", ".add_q_proj."}, {".to_k.", ".add_k_proj."}, {".to_v.", ".add_v_proj."}}};
    for (std::size_t third = 0; third < kThirds.size(); ++third)
        for (const std::string_view part : kThirds[third])
            if (name.find(part) != std::string::npos) return static_cast<int>(third);
    return std::nullopt;
}

class OriginalWeights final : public WeightSource {
  public:
    OriginalWeights(std::unique_ptr<WeightSource> checkpoint, std::string prefix, std::int64_t layers)
        : m_checkpoint(std::move(checkpoint)),
          m_prefix(std::move(prefix)),
          m_lastContext(std::string(kBlocks) + std::to_string(layers - 1) + ".norm1_context.linear.") {}

    at::Tensor require(const std::string& name, at::IntArrayRef shape) override {
        std::vector<std::int64_t> stored = shape.vec();
        if (const auto third = thirdOf(name)) {
            stored[0] *= 3;
            return m_checkpoint->require(nameIn(name), stored).narrow(0, *third * shape[0], shape[0]);
        }
        const at::Tensor tensor = m_checkpoint->require(nameIn(name), stored);
        if (!name.starts_with("norm_out.linear.") && !name.starts_with(m_lastContext)) return tensor;
        // Shift comes before scale there.
        const auto halves = tensor.chunk(2, 0);
        return at::cat({halves[1], halves[0]});
    }
    [[nodiscard]] bool has(const std::string& name) const override { return m_checkpoint->has(nameIn(name)); }
    [[nodiscard]] std::string whereIs(const std::string& name) const override {
        return m_checkpoint->whereIs(nameIn(name));
    }

  private:
    [[nodiscard]] std::string nameIn(const std::string& name) const { return m_prefix + originalName(name); }

    std::unique_ptr<WeightSource> m_checkpoint;
    std::string m_prefix, m_lastContext;
};

}  // namespace

std::string originalName(const std::string& name) {
    if (!name.starts_with(kBlocks)) return renamed(name, kWhole);
    const auto dot = name.find('.', kBlocks.size());
    if (dot == std::string::npos) return name;
    return "joint_blocks." + name.substr(kBlocks.size(), dot + 1 - kBlocks.size()) +
           renamed(std::string_view(name).substr(dot + 1), kInBlock);
}

std::unique_ptr<WeightSource> transformerNames(std::unique_ptr<WeightSource> checkpoint,
                                               std::int64_t layers) {
    // Of a file with both those below the prefix, whose shapes are its configuration.
    for (const char* prefix : {kFilePrefix, ""})
        if (checkpoint->has(std::string(prefix) + "x_embedder.proj.weight"))
            return std::make_unique<OriginalWeights>(std::move(checkpoint), prefix, layers);
    return checkpoint;
}

}  // namespace reelgrid::models::sd35
