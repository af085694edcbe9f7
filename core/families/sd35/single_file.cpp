#include "core/families/sd35/single_file.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "core/families/sd35/file_parts.h"
#include "core/safetensors/header.h"
#include "core/safetensors/numbered_blocks.h"

namespace reelgrid::families::sd35 {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using safetensors::TensorEntries;

constexpr const char *kPrefix = "model.diffusion_model.", *kVaePrefix = "first_stage_model.";
constexpr const char *kPatch = "x_embedder.proj.weight", *kPositions = "pos_embed",
                     *kContext = "context_embedder.weight", *kPooled = "y_embedder.mlp.0.weight",
                     *kOut = "final_layer.linear.weight";
constexpr const char* kBlocks = "joint_blocks.";  // before a block's number
/// Channels of a head in every published model; a norm of queries says its own.
constexpr std::int64_t kHeadDim = 64;

/// The shapes of a transformer's tensors, whose names may have a prefix.
class Tensors {
  public:
    explicit Tensors(const TensorEntries& entries) : m_entries(entries) {
        if (entries.contains(std::string(kPrefix) + kPatch)) m_prefix = kPrefix;
    }
    /// As it stands in the file.
    [[nodiscard]] std::string nameInFile(const std::string& name) const { return m_prefix + name; }
    [[nodiscard]] bool has(const std::string& name) const { return m_entries.contains(nameInFile(name)); }
    [[nodiscard]] bool hasBelow(const std::string& begin) const {
        return safetensors::hasBelow(m_entries, m_prefix + begin);
    }
    [[nodiscard]] std::int64_t blocks() const {
        return safetensors::blocksInRow(m_entries, m_prefix + kBlocks);
    }
    [[nodiscard]] std::string blockBehind(std::int64_t blocks) const {
        return safetensors::tensorBehindBlocks(m_entries, m_prefix + kBlocks, blocks);
    }
    /// Of so many dimensions above 0; nothing else.
    [[nodiscard]] std::optional<std::vector<std::int64_t>> shape(const std::string& name,
                                                                 std::size_t dimensions) const {
        const auto found = m_entries.find(nameInFile(name));
        if (found == m_entries.end() || found->second.shape.size() != dimensions) return std::nullopt;
        const auto& sides = found->second.shape;
        if (std::ranges::any_of(sides, [](std::int64_t side) { return side < 1; })) return std::nullopt;
        return sides;
    }

  private:
    const TensorEntries& m_entries;
    std::string m_prefix;
};

std::string block(std::int64_t layer, const char* rest) {
    return kBlocks + std::to_string(layer) + "." + rest;
}

/// Channels of a norm of queries or keys: of the first that is there, since one block that lacks its own is
/// incomplete where others don't. 0: no block has any.
std::int64_t normedChannels(const Tensors& tensors, std::int64_t layers) {
    for (std::int64_t layer = 0; layer < layers; ++layer)
        for (const char* norm : {"x_block.attn.ln_q.weight", "x_block.attn.ln_k.weight"})
            if (const auto shape = tensors.shape(block(layer, norm), 1)) return shape->front();
    return 0;
}

std::int64_t squareRoot(std::int64_t value) {
    std::int64_t root = 0;
    while ((root + 1) * (root + 1) <= value && root < 4096) ++root;
    return root;
}

/// config.json of diffusers' transformer, as the tensors' shapes tell it.
Result<json> transformerConfig(const Tensors& tensors, const fs::path& file) {
    const auto patch = tensors.shape(kPatch, 4), positions = tensors.shape(kPositions, 3),
               context = tensors.shape(kContext, 2), pooled = tensors.shape(kPooled, 2),
               out = tensors.shape(kOut, 2);
    for (const auto& [name, shape] : {std::pair{kPatch, patch},
                                      {kPositions, positions},
                                      {kContext, context},
                                      {kPooled, pooled},
                                      {kOut, out}})
        if (!shape)
            return Error{ErrorCode::InvalidData, "model " + file.string() + ": its transformer has no " +
                                                     tensors.nameInFile(name) + " of the usual shape"};
    const std::int64_t layers = tensors.blocks();
    if (const std::string behind = tensors.blockBehind(layers); !behind.empty())
        return safetensors::blockMissing("model " + file.string(), behind, layers);
    json dual = json::array();
    for (std::int64_t layer = 0; layer < layers; ++layer)
        if (tensors.hasBelow(block(layer, "x_block.attn2."))) dual.push_back(layer);
    const std::int64_t normed = normedChannels(tensors, layers);
    const std::int64_t channels = (*patch)[0], headDim = normed > 0 ? normed : kHeadDim;
    json config = {{"_class_name", "SD3Transformer2DModel"},
                   {"num_layers", layers},
                   {"num_attention_heads", channels / headDim},
                   {"attention_head_dim", headDim},
                   {"caption_projection_dim", channels},
                   {"patch_size", (*patch)[2]},
                   {"in_channels", (*patch)[1]},
                   {"out_channels", (*out)[0] / ((*patch)[2] * (*patch)[2])},
                   {"joint_attention_dim", (*context)[1]},
                   {"pooled_projection_dim", (*pooled)[1]},
                   {"pos_embed_max_size", squareRoot((*positions)[1])},
                   {"sample_size", 128},
                   {"dual_attention_layers", dual}};
    if (normed > 0) config["qk_norm"] = "rms_norm";
    return config;
}

json schedulerConfig() {
    return {
        {"_class_name", "FlowMatchEulerDiscreteScheduler"}, {"num_train_timesteps", 1000}, {"shift", 3.0}};
}

/// Stable Diffusion 3.5's.
json vaeConfig() {
    return {{"_class_name", "AutoencoderKL"}, {"block_out_channels", {128, 256, 512, 512}},
            {"layers_per_block", 2},          {"latent_channels", 16},
            {"norm_num_groups", 32},          {"sample_size", 1024},
            {"scaling_factor", 1.5305},       {"shift_factor", 0.0609},
            {"use_quant_conv", false},        {"use_post_quant_conv", false}};
}

}  // namespace

bool isSd35File(const fs::path& file) {
    if (file.extension() != ".safetensors") return false;
    const auto entries = safetensors::readHeaderOf(file);
    if (!entries) return false;
    const Tensors tensors(*entries);
    return tensors.has(kPatch) && tensors.has(block(0, "x_block.attn.qkv.weight"));
}

Result<ModelLayout> readSd35File(const ModelSource& source) {
    const fs::path& file = source.base;
    const auto entries = safetensors::readHeaderOf(file);
    if (!entries) return entries.error();
    const auto transformer = transformerConfig(Tensors(*entries), file);
    if (!transformer) return transformer.error();
    ModelLayout layout;
    layout.index = {{"_class_name", "StableDiffusion3Pipeline"},
                    {"transformer", {"diffusers", "SD3Transformer2DModel"}},
                    {"scheduler", {"diffusers", "FlowMatchEulerDiscreteScheduler"}}};
    layout.configs = {{"transformer", *transformer}, {"scheduler", schedulerConfig()}};
    layout.paths = {{"transformer", file}};
    if (entries->contains(std::string(kVaePrefix) + "decoder.conv_in.weight")) {
        layout.index["vae"] = {"diffusers", "AutoencoderKL"};
        layout.configs["vae"] = vaeConfig();
        layout.paths["vae"] = file;
    }
    if (auto added = addFileParts(file, layout); !added) return added.error();
    return layout;
}

}  // namespace reelgrid::families::sd35
