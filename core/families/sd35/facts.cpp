#include "core/families/sd35/facts.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "core/families/config_bounds.h"
#include "core/families/offered_tasks.h"
#include "core/families/sd35/single_file.h"
#include "core/protocol/field_reader.h"

namespace reelgrid::families::sd35 {
namespace {

constexpr std::string_view kName = "sd3.5", kClass = "StableDiffusion3Pipeline";
constexpr std::string_view kT5 = "text_encoder_3", kTemporal = "temporal_module";
constexpr const char* kTemporalClass = "SD3TemporalModule";
constexpr std::array<std::string_view, 7> kComponents{
    "transformer", "text_encoder", "text_encoder_2", "vae", "tokenizer", "tokenizer_2", "scheduler",
};
constexpr std::array<std::string_view, 3> kOptional{kT5, "tokenizer_3", kTemporal};
constexpr std::array<std::string_view, 2> kSchedulers{"euler", "unipc"};
/// Fields of the request that the family's models take.
constexpr std::array<std::string_view, 22> kFields{
    "negative_prompt",
    "prompt_2",
    "prompt_3",
    "negative_prompt_2",
    "negative_prompt_3",
    "max_sequence_length",
    "guidance_scale",
    "skip_guidance_layers",
    "skip_layer_guidance_scale",
    "skip_layer_guidance_start",
    "skip_layer_guidance_stop",
    "temporal_module",
    "temporal_alpha",
    "scheduler",
    "flow_shift",
    "vae_tiling",
    "vae_tile_px",
    "lora",
    "step_cache",
    "offload",
    "use_fp8_gemms",
    "use_bf16_te_gemms",
};
/// Of attention over frames of latents, where there is no module.
constexpr double kLatentAlpha = 0.35;

/// The configurations' keys that decide which sizes a render may have; absent ones are the reference's.
struct Architecture {
    int spatial = 8;
    int patch = 2;
    int layers = 18;
    int sampleSize = 128;
    int positions = 96;
    int mostFrames = 1024;
    bool isDual = false;
};

bool hasTemporal(const ModelIndex& index) {
    return !index.classOf(std::string(kTemporal)).empty();
}

/// The positions of a temporal module, which says itself what it is.
Result<void> readTemporal(const ModelIndex& index, Architecture& found) {
    const std::string component(kTemporal);
    const std::string where = index.pathOf(component).string();
    if (const std::string named = index.classOf(component); named != kTemporalClass)
        return Error{ErrorCode::Unsupported, where + ": its class is " + named + ", the folder of a " +
                                                 kTemporalClass + " was needed"};
    const auto config = index.config(component);
    if (!config) return config.error();
    found.mostFrames = 32;
    protocol::FieldReader fields(*config, where + "/config.json", ErrorCode::InvalidData);
    fields.integer("max_seq_length", found.mostFrames);
    return fields.finish();
}

Result<Architecture> readArchitecture(const ModelIndex& index) {
    const auto transformer = index.config("transformer");
    if (!transformer) return transformer.error();
    const auto vae = index.config("vae");
    if (!vae) return vae.error();
    Architecture found;
    protocol::FieldReader fields(*transformer, (index.pathOf("transformer") / "config.json").string(),
                                 ErrorCode::InvalidData);
    fields.integer("num_layers", found.layers);
    fields.integer("patch_size", found.patch);
    fields.integer("sample_size", found.sampleSize);
    fields.integer("pos_embed_max_size", found.positions);
    if (auto read = fields.finish(); !read) return read.error();
    const auto dual = transformer->find("dual_attention_layers");
    found.isDual = dual != transformer->end() && dual->is_array() && !dual->empty();
    const auto levels = vae->find("block_out_channels");
    constexpr std::size_t kMostLevels = 7;
    if (levels != vae->end() && levels->is_array() && !levels->empty() && levels->size() <= kMostLevels)
        found.spatial = 1 << (levels->size() - 1);
    if (hasTemporal(index))
        if (auto read = readTemporal(index, found); !read) return read.error();

    const std::array bounds{ConfigBound{"num_layers", found.layers, 1024},
                            ConfigBound{"patch_size", found.patch, 16},
                            ConfigBound{"sample_size", found.sampleSize, 1 << 14},
                            ConfigBound{"pos_embed_max_size", found.positions, 4096},
                            ConfigBound{"max_seq_length", found.mostFrames, 1024}};
    if (auto checked = checkBounds(index, bounds); !checked) return checked.error();
    return found;
}

/// Published models have their names in those of their clips.
std::string clipPrefixOf(const Architecture& architecture) {
    constexpr int kLayersOfMedium = 24, kLayersOfLarge = 38;
    if (architecture.layers == kLayersOfMedium && architecture.isDual) return std::string(kName) + "-medium";
    if (architecture.layers == kLayersOfLarge) return std::string(kName) + "-large";
    return std::string(kName);
}

bool recognises(const ModelIndex& index) {
    return index.pipelineClass() == kClass;
}

Result<ModelInfo> describe(const ModelIndex& index) {
    if (auto checked = checkTextEncoder(index, std::string(kT5), "T5EncoderModel"); !checked)
        return checked.error();
    const auto read = readArchitecture(index);
    if (!read) return read.error();
    const Architecture& architecture = *read;
    ModelInfo model;
    model.family = kName;
    const int multiple = architecture.spatial * architecture.patch;
    model.sizes = {.sizeMultiple = multiple, .maxSize = multiple * architecture.positions};
    model.frames = {.stride = 1, .first = 1, .most = architecture.mostFrames};
    const int side =
        std::min(architecture.sampleSize * architecture.spatial / multiple * multiple, model.sizes.maxSize);
    model.defaults.width = std::max(side, multiple);
    model.defaults.height = model.defaults.width;
    model.defaults.numFrames = std::min(16, architecture.mostFrames);
    model.defaults.fps = 8;
    model.defaults.numInferenceSteps = 28;
    model.defaults.guidanceScale = 3.5;
    model.defaults.maxSequenceLength = 256;
    // A module was trained to count as much as it does.
    model.defaults.temporalAlpha = hasTemporal(index) ? 1 : kLatentAlpha;
    model.defaults.vaeTilePx = 512;
    model.extraFields.assign(kFields.begin(), kFields.end());
    if (index.classOf(std::string(kT5)).empty())
        std::erase_if(model.extraFields,
                      [](const std::string& key) { return key == "prompt_3" || key == "negative_prompt_3"; });
    offer(model, {{.name = "t2v"}});
    model.schedulers.assign(kSchedulers.begin(), kSchedulers.end());
    model.clipPrefix = clipPrefixOf(architecture);
    model.layers = architecture.layers;
    model.attentionKinds = {protocol::ModuleKind::Joint};
    if (architecture.isDual) model.attentionKinds.push_back(protocol::ModuleKind::Self);
    model.attentionKinds.push_back(protocol::ModuleKind::Temporal);
    return model;
}

constexpr std::array kPipelines{
    Pipeline{kName, "Stable Diffusion 3.5 text-to-video", kClass, kComponents, recognises, describe,
             kOptional},
};

constexpr std::array kLayouts{LayoutReader{isSd35File, readSd35File}};

constexpr std::array kKnownModels{
    KnownModel{"stabilityai/stable-diffusion-3.5-medium", "Stable Diffusion 3.5 Medium"},
    KnownModel{"stabilityai/stable-diffusion-3.5-large", "Stable Diffusion 3.5 Large"},
};

constexpr std::array kMiniatures{
    Miniature{.name = "demo-sd35",
              .folder = "demo-sd35",
              .prompt = "a fox moving in a circle in the snow",
              .picture = ""},
};

constexpr std::array kNotes{
    FieldNote{"prompt_2", ""},
    FieldNote{"prompt_3", ""},
    FieldNote{"negative_prompt_2", ""},
    FieldNote{"negative_prompt_3", ""},
    FieldNote{"max_sequence_length", ""},
    FieldNote{"skip_guidance_layers", ""},
    FieldNote{"skip_layer_guidance_scale", ""},
    FieldNote{"skip_layer_guidance_start", ""},
    FieldNote{"skip_layer_guidance_stop", ""},
    FieldNote{"temporal_module", ""},
    FieldNote{"temporal_alpha", "0.35 without a temporal module"},
};

constexpr std::array kAttentionPresets{
    AttentionPreset{"sd3.5-medium", "1,24,4429,64",
                    "Stable Diffusion 3.5 medium joint attention, 1024×1024: 64·64 + 77 + 256 tokens"},
    AttentionPreset{"sd3.5-large", "1,38,4429,64",
                    "Stable Diffusion 3.5 large joint attention, the same tokens"},
};

}  // namespace

Family family() {
    return {.name = "sd35",
            .title = "Stable Diffusion 3.5",
            .pipelines = kPipelines,
            .schedulers = kSchedulers,
            .layouts = kLayouts,
            .knownModels = kKnownModels,
            .miniatures = kMiniatures,
            .notes = kNotes,
            .attentionPresets = kAttentionPresets,
            .clipPrefix = kName};
}

}  // namespace reelgrid::families::sd35
