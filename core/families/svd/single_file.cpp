#include "core/families/svd/single_file.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/safetensors/header.h"
#include "core/safetensors/numbered_blocks.h"

namespace reelgrid::families::svd {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using Sides = std::vector<std::int64_t>;

constexpr const char *kUnet = "model.diffusion_model.",
                     *kEncoder = "conditioner.embedders.3.encoder.encoder.",
                     *kClip = "conditioner.embedders.0.open_clip.model.visual.";
constexpr const char* kFirstTimeLayer =
    "model.diffusion_model.input_blocks.1.0.time_stack.in_layers.2.weight";
constexpr std::int64_t kMostLevels = 8;

/// The shapes of a file, asked for by name.
class FileShapes {
  public:
    FileShapes(const safetensors::TensorEntries& tensors, const fs::path& file)
        : m_tensors(tensors), m_file(file) {}

    [[nodiscard]] bool hasBelow(const std::string& prefix) const {
        return safetensors::hasBelow(m_tensors, prefix);
    }
    /// Throws Failure(InvalidData) naming the tensor that isn't there or has other dimensions.
    [[nodiscard]] const Sides& of(const std::string& name, std::size_t dimensions) const {
        const auto found = m_tensors.find(name);
        const bool fits =
            found != m_tensors.end() && found->second.shape.size() == dimensions &&
            std::ranges::all_of(found->second.shape, [](std::int64_t side) { return side > 0; });
        if (fits) return found->second.shape;
        throw Failure(ErrorCode::InvalidData,
                      "model " + m_file.string() + ": tensor " + name + " is " +
                          (found == m_tensors.end() ? "missing" : "of other dimensions") + ", one of " +
                          std::to_string(dimensions) + " was needed");
    }
    /// How many blocks "PREFIX0.", "PREFIX1." there are, of at least one tensor each. Throws
    /// Failure(InvalidData) where one is missing before others.
    [[nodiscard]] std::int64_t blocks(const std::string& prefix) const {
        const std::int64_t found = safetensors::blocksInRow(m_tensors, prefix);
        if (const auto behind = safetensors::tensorBehindBlocks(m_tensors, prefix, found); !behind.empty())
            throw Failure(safetensors::blockMissing("model " + m_file.string(), behind, found));
        return found;
    }
    /// The same of sizes of a picture.
    [[nodiscard]] std::int64_t levels(const std::string& prefix) const {
        const std::int64_t found = blocks(prefix);
        requireLevels(prefix, found);
        return found;
    }
    void requireLevels(const std::string& prefix, std::int64_t levels) const {
        if (levels >= 1 && levels <= kMostLevels) return;
        throw Failure(ErrorCode::InvalidData, "model " + m_file.string() + ": " + std::to_string(levels) +
                                                  " sizes below " + prefix + ", 1 to " +
                                                  std::to_string(kMostLevels) + " were needed");
    }

  private:
    const safetensors::TensorEntries& m_tensors;
    const fs::path& m_file;
};

/// Of all published models.
constexpr std::int64_t kHeadChannels = 64, kClipHeadChannels = 80;

json unetOf(const FileShapes& shapes, int frames) {
    const std::string unet = kUnet;
    Sides channels, heads;
    std::vector<std::string> down;
    std::int64_t layers = 1;
    bool isNew = true;
    const std::string inputs = unet + "input_blocks.";
    for (std::int64_t i = 1, count = shapes.blocks(inputs); i < count; ++i) {
        const std::string block = inputs + std::to_string(i);
        if (shapes.hasBelow(block + ".0.op.")) {
            isNew = true;
            continue;
        }
        if (!isNew) {
            layers += channels.size() == 1 ? 1 : 0;  // of the full size
            continue;
        }
        channels.push_back(shapes.of(block + ".0.out_layers.3.weight", 4)[0]);
        heads.push_back(std::max<std::int64_t>(1, channels.back() / kHeadChannels));
        down.push_back(shapes.hasBelow(block + ".1.") ? "CrossAttnDownBlockSpatioTemporal"
                                                      : "DownBlockSpatioTemporal");
        isNew = false;
    }
    shapes.requireLevels(inputs, static_cast<std::int64_t>(channels.size()));
    std::vector<std::string> up;
    for (auto kind = down.rbegin(); kind != down.rend(); ++kind)
        up.push_back(*kind == "DownBlockSpatioTemporal" ? "UpBlockSpatioTemporal"
                                                        : "CrossAttnUpBlockSpatioTemporal");
    const std::int64_t added = shapes.of(unet + "label_emb.0.0.weight", 2)[1];
    const std::string middle = unet + "middle_block.1.transformer_blocks.";
    return {{"_class_name", "UNetSpatioTemporalConditionModel"},
            {"in_channels", shapes.of(unet + "input_blocks.0.0.weight", 4)[1]},
            {"out_channels", shapes.of(unet + "out.2.weight", 4)[0]},
            {"block_out_channels", channels},
            {"num_attention_heads", heads},
            {"layers_per_block", layers},
            {"down_block_types", down},
            {"up_block_types", up},
            {"transformer_layers_per_block", shapes.blocks(middle)},
            {"cross_attention_dim", shapes.of(middle + "0.attn2.to_k.weight", 2)[1]},
            {"addition_time_embed_dim", added / 3},
            {"projection_class_embeddings_input_dim", added},
            {"num_frames", frames},
            {"sample_size", 96}};
}

json vaeOf(const FileShapes& shapes) {
    const std::string down = std::string(kEncoder) + "down.";
    Sides channels;
    for (std::int64_t level = 0, levels = shapes.levels(down); level < levels; ++level)
        channels.push_back(shapes.of(down + std::to_string(level) + ".block.0.conv1.weight", 4)[0]);
    return {{"_class_name", "AutoencoderKLTemporalDecoder"},
            {"block_out_channels", channels},
            {"layers_per_block", shapes.blocks(down + "0.block.")},
            {"latent_channels", shapes.of("first_stage_model.decoder.conv_in.weight", 4)[1]},
            {"sample_size", 768},
            {"scaling_factor", 0.18215},
            {"force_upcast", true}};
}

json imageEncoderOf(const FileShapes& shapes, const fs::path& file) {
    const std::string clip = kClip;
    const Sides& patch = shapes.of(clip + "conv1.weight", 4);
    const std::int64_t patches = shapes.of(clip + "positional_embedding", 2)[0] - 1;
    const auto edge = static_cast<std::int64_t>(std::llround(std::sqrt(static_cast<double>(patches))));
    if (edge < 1 || edge * edge != patches)
        throw Failure(ErrorCode::InvalidData, "model " + file.string() + ": " + clip +
                                                  "positional_embedding has " + std::to_string(patches) +
                                                  " patches, a square number was needed");
    return {{"architectures", {"CLIPVisionModelWithProjection"}},
            {"hidden_size", patch[0]},
            {"patch_size", patch[2]},
            {"image_size", edge * patch[2]},
            {"intermediate_size", shapes.of(clip + "transformer.resblocks.0.mlp.c_fc.weight", 2)[0]},
            {"num_hidden_layers", shapes.blocks(clip + "transformer.resblocks.")},
            {"num_attention_heads", std::max<std::int64_t>(1, patch[0] / kClipHeadChannels)},
            {"projection_dim", shapes.of(clip + "proj", 2)[1]},
            {"hidden_act", "gelu"}};
}

/// scheduler_config.json of the published folders.
json schedulerOf() {
    return {{"_class_name", "EulerDiscreteScheduler"},
            {"beta_start", 0.00085},
            {"beta_end", 0.012},
            {"beta_schedule", "scaled_linear"},
            {"num_train_timesteps", 1000},
            {"prediction_type", "v_prediction"},
            {"sigma_min", 0.002},
            {"sigma_max", 700.0},
            {"steps_offset", 1},
            {"timestep_spacing", "leading"},
            {"timestep_type", "continuous"},
            {"use_karras_sigmas", true}};
}

int framesOf(const fs::path& file) {
    std::string name = file.filename().string();
    std::ranges::transform(name, name.begin(),
                           [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    return name.find("xt") == std::string::npos ? 14 : 25;
}

}  // namespace

bool isSvdFile(const fs::path& file) {
    if (file.extension() != ".safetensors") return false;
    const auto tensors = safetensors::readHeaderOf(file);
    return tensors && tensors->contains(kFirstTimeLayer);
}

Result<ModelLayout> readSvdFile(const ModelSource& source) {
    const fs::path& file = source.base;
    const auto tensors = safetensors::readHeaderOf(file);
    if (!tensors) return tensors.error();
    try {
        const FileShapes shapes(*tensors, file);
        ModelLayout layout;
        layout.index = {{"_class_name", "StableVideoDiffusionPipeline"}};
        const auto part = [&](const char* name, const char* library, const char* className, json config) {
            layout.index[name] = {library, className};
            layout.configs[name] = std::move(config);
        };
        part("unet", "diffusers", "UNetSpatioTemporalConditionModel", unetOf(shapes, framesOf(file)));
        part("vae", "diffusers", "AutoencoderKLTemporalDecoder", vaeOf(shapes));
        part("image_encoder", "transformers", "CLIPVisionModelWithProjection", imageEncoderOf(shapes, file));
        part("feature_extractor", "transformers", "CLIPImageProcessor", json::object());
        part("scheduler", "diffusers", "EulerDiscreteScheduler", schedulerOf());
        for (const char* name : {"unet", "vae", "image_encoder"}) layout.paths[name] = file;
        return layout;
    } catch (const Failure& failure) {
        return failure.error();
    }
}

}  // namespace reelgrid::families::svd
