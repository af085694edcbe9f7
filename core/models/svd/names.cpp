#include "core/models/svd/names.h"

#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/models/unet/ldm_names.h"
#include "core/vae/image/names.h"
#include "core/weights/renamed_weights.h"

namespace reelgrid::models::svd {
namespace {

using weights::WeightSource;
using Renaming = std::pair<std::string_view, std::string_view>;

constexpr std::string_view kStill = ".spatial_res_block.", kMoving = ".temporal_res_block.";
constexpr const char* kFileUnet = "model.diffusion_model.";
/// The encoder that makes what the UNet is told of a picture; the clip's own has other weights.
constexpr const char* kFileEncoder = "conditioner.embedders.3.encoder.";
constexpr const char* kFileDecoder = "first_stage_model.";
constexpr const char* kFileClip = "conditioner.embedders.0.open_clip.model.visual.";

/// `name` with the first `from` as `to`; nullopt where there is none.
std::optional<std::string> exchanged(std::string name, std::string_view from, std::string_view to) {
    const auto at = name.find(from);
    if (at == std::string::npos) return std::nullopt;
    return name.replace(at, from.size(), to);
}

constexpr std::array kUnetOutside{
    Renaming{"add_embedding.linear_1.", "label_emb.0.0."},
    Renaming{"add_embedding.linear_2.", "label_emb.0.2."},
};
constexpr std::array kUnetTransformer{
    Renaming{".temporal_transformer_blocks.", ".time_stack."},
    Renaming{".time_pos_embed.linear_1.", ".time_pos_embed.0."},
    Renaming{".time_pos_embed.linear_2.", ".time_pos_embed.2."},
};
constexpr std::array kVaeMoving{
    Renaming{".temporal_res_block.norm1.", ".time_stack.in_layers.0."},
    Renaming{".temporal_res_block.conv1.", ".time_stack.in_layers.2."},
    Renaming{".temporal_res_block.norm2.", ".time_stack.out_layers.0."},
    Renaming{".temporal_res_block.conv2.", ".time_stack.out_layers.3."},
    Renaming{".time_mixer.mix_factor", ".mix_factor"},
    Renaming{"decoder.time_conv_out.", "decoder.conv_out.time_mix_conv."},
    Renaming{kStill, "."},
};

/// Attention's matrices of the VAE: [C, C, 1, 1] in the file.
class VaeInFile final : public WeightSource {
  public:
    VaeInFile(std::unique_ptr<WeightSource> file, std::int64_t sizes)
        : m_file(std::move(file)), m_sizes(sizes) {}

    at::Tensor require(const std::string& name, at::IntArrayRef shape) override {
        const bool isMatrix = shape.size() == 2 && name.find("attentions.0.to_") != std::string::npos;
        if (!isMatrix) return m_file->require(sgmVaeName(name, m_sizes), shape);
        return m_file->require(sgmVaeName(name, m_sizes), {shape[0], shape[1], 1, 1}).reshape(shape);
    }
    [[nodiscard]] bool has(const std::string& name) const override {
        return m_file->has(sgmVaeName(name, m_sizes));
    }
    [[nodiscard]] std::string whereIs(const std::string& name) const override {
        return m_file->whereIs(sgmVaeName(name, m_sizes));
    }

  private:
    std::unique_ptr<WeightSource> m_file;
    std::int64_t m_sizes;
};

constexpr std::array kClipWhole{
    Renaming{"vision_model.embeddings.patch_embedding.", "conv1."},
    Renaming{"vision_model.embeddings.class_embedding", "class_embedding"},
    Renaming{"vision_model.embeddings.position_embedding.weight", "positional_embedding"},
    Renaming{"vision_model.pre_layrnorm.", "ln_pre."},
    Renaming{"vision_model.post_layernorm.", "ln_post."},
    Renaming{"visual_projection.weight", "proj"},
};
/// Below "vision_model.encoder.layers.N.".
constexpr std::array kClipLayer{
    Renaming{"layer_norm1.", "ln_1."},
    Renaming{"layer_norm2.", "ln_2."},
    Renaming{"mlp.fc1.", "mlp.c_fc."},
    Renaming{"mlp.fc2.", "mlp.c_proj."},
    Renaming{"self_attn.out_proj.", "attn.out_proj."},
};
constexpr std::array<std::string_view, 3> kClipJoined{"self_attn.q_proj.", "self_attn.k_proj.",
                                                      "self_attn.v_proj."};

/// Which tensor of the file it is, and which third of its rows; −1: all.
struct ClipPlace {
    std::string name;
    int third = -1;
};

ClipPlace clipPlaceOf(const std::string& name) {
    for (const auto& [now, then] : kClipWhole)
        if (name.starts_with(now)) return {kFileClip + std::string(then) + name.substr(now.size())};
    constexpr std::string_view kLayersHere = "vision_model.encoder.layers.";
    const auto dot = name.starts_with(kLayersHere) ? name.find('.', kLayersHere.size()) : std::string::npos;
    if (dot == std::string::npos) return {kFileClip + name};
    const std::string layer = std::string(kFileClip) + "transformer.resblocks." +
                              name.substr(kLayersHere.size(), dot + 1 - kLayersHere.size());
    const std::string inLayer = name.substr(dot + 1);
    for (const auto& [now, then] : kClipLayer)
        if (inLayer.starts_with(now)) return {layer + std::string(then) + inLayer.substr(now.size())};
    for (std::size_t third = 0; third < kClipJoined.size(); ++third)
        if (inLayer.starts_with(kClipJoined[third]))
            return {layer + "attn.in_proj_" + inLayer.substr(kClipJoined[third].size()),
                    static_cast<int>(third)};
    return {layer + inLayer};
}

class ClipInFile final : public WeightSource {
  public:
    explicit ClipInFile(std::unique_ptr<WeightSource> file) : m_file(std::move(file)) {}

    at::Tensor require(const std::string& name, at::IntArrayRef shape) override {
        const ClipPlace place = clipPlaceOf(name);
        if (name == "visual_projection.weight") return m_file->require(place.name, {shape[1], shape[0]}).t();
        if (place.third < 0) return m_file->require(place.name, shape);
        std::vector<std::int64_t> joined = shape.vec();
        joined[0] *= 3;
        return m_file->require(place.name, joined).narrow(0, place.third * shape[0], shape[0]);
    }
    [[nodiscard]] bool has(const std::string& name) const override {
        return m_file->has(clipPlaceOf(name).name);
    }
    [[nodiscard]] std::string whereIs(const std::string& name) const override {
        return m_file->whereIs(clipPlaceOf(name).name);
    }

  private:
    std::unique_ptr<WeightSource> m_file;
};

}  // namespace

std::string sgmUnetName(const std::string& name, std::int64_t layersPerBlock, std::int64_t blocks) {
    for (const auto& [now, then] : kUnetOutside)
        if (name.starts_with(now)) return std::string(then) + name.substr(now.size());
    if (const auto still = exchanged(name, kStill, "."))
        return unet::ldmUnetName(*still, layersPerBlock, blocks);
    if (const auto moving = exchanged(name, kMoving, ".")) {
        const std::string ldm = unet::ldmUnetName(*moving, layersPerBlock, blocks);
        // Behind "input_blocks.1.0." or "middle_block.0.".
        const std::size_t places = ldm.starts_with("middle_block.") ? 2 : 3;
        const std::vector<std::string> parts = unet::partsOf(ldm, places);
        std::string layer;
        for (std::size_t i = 0; i + 1 < parts.size(); ++i) layer += parts[i] + ".";
        return layer + "time_stack." + parts.back();
    }
    std::string ldm = unet::ldmUnetName(name, layersPerBlock, blocks);
    for (const auto& [now, then] : kUnetTransformer)
        if (auto changed = exchanged(ldm, now, then)) return *std::move(changed);
    return ldm;
}

std::string sgmVaeName(const std::string& name, std::int64_t sizes) {
    std::string plain = name;
    for (const auto& [now, then] : kVaeMoving)
        if (auto changed = exchanged(plain, now, then)) {
            plain = *std::move(changed);
            break;
        }
    const bool isDecoder = name.starts_with("decoder.");
    return (isDecoder ? kFileDecoder : kFileEncoder) + vae::image::ldmVaeName(plain, sizes);
}

std::unique_ptr<WeightSource> unetInFile(std::unique_ptr<WeightSource> file, std::int64_t layersPerBlock,
                                         std::int64_t blocks) {
    return std::make_unique<weights::RenamedWeights>(
        std::move(file), [layersPerBlock, blocks](const std::string& name) {
            return kFileUnet + sgmUnetName(name, layersPerBlock, blocks);
        });
}

std::unique_ptr<WeightSource> vaeInFile(std::unique_ptr<WeightSource> file, std::int64_t sizes) {
    return std::make_unique<VaeInFile>(std::move(file), sizes);
}

std::unique_ptr<WeightSource> imageEncoderInFile(std::unique_ptr<WeightSource> file) {
    return std::make_unique<ClipInFile>(std::move(file));
}

bool isOfPart(const std::string& part, const std::string& tensor) {
    if (part == "unet") return tensor.starts_with(kFileUnet);
    if (part == "image_encoder") return tensor.starts_with(kFileClip);
    return tensor.starts_with(std::string(kFileEncoder) + "encoder.") ||
           tensor.starts_with(std::string(kFileDecoder) + "decoder.");
}

}  // namespace reelgrid::models::svd
