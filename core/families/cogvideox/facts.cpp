#include "core/families/cogvideox/facts.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "core/families/cogvideox/scripts.h"
#include "core/families/config_bounds.h"
#include "core/families/offered_tasks.h"
#include "core/protocol/field_reader.h"

namespace reelgrid::families::cogvideox {
namespace {

constexpr std::string_view kText = "cogvideox", kImage = "cogvideox-i2v";
constexpr std::string_view kTextPipeline = "CogVideoXPipeline",
                           kImagePipeline = "CogVideoXImageToVideoPipeline";
constexpr std::array<std::string_view, 5> kComponents{
    "transformer", "text_encoder", "vae", "tokenizer", "scheduler",
};
constexpr std::array<std::string_view, 2> kSchedulers{"ddim", "dpm"};
/// Fields of the request that all CogVideoX models take.
constexpr std::array<std::string_view, 14> kFields{
    "negative_prompt",
    "guidance_scale",
    "use_dynamic_cfg",
    "scheduler",
    "vae_tiling",
    "vae_tile_px",
    "lora",
    "step_cache",
    "offload",
    "linear",
    "use_fp8_gemms",
    "use_bf16_te_gemms",
    "ulysses_degree",
    "shard_weights",
};
constexpr std::string_view kClipPrefix = "cogvideox-";

/// The prompt of the models' own tools where they are given none (that of its examples).
constexpr const char* kUsualPrompt =
    "A panda, dressed in a small, red jacket and a tiny hat, sits on a wooden stool in a serene bamboo "
    "forest. The panda's fluffy paws strum a miniature acoustic guitar, producing soft, melodic tunes. "
    "Nearby, a few other pandas gather, watching curiously and some clapping in rhythm. Sunlight filters "
    "through the tall bamboo, casting a gentle glow on the scene. The panda's face is expressive, showing "
    "concentration and joy as it plays. The background includes a small, flowing stream and vibrant green "
    "foliage, enhancing the "
    "peaceful and magical atmosphere of this unique musical performance.";

/// The configs' keys that decide which sizes a render may have and how it is named; absent ones are 2b's.
struct Architecture {
    int spatial = 8;
    int temporal = 4;
    int layers = 30;
    int heads = 30;
    int patch = 2;
    int sampleWidth = 90, sampleHeight = 60, sampleFrames = 49;
    int vaeSampleHeight = 480;
    bool isRotary = false;
    bool hasLearnedPositions = false;
    bool hasTimePatches = false;  ///< 1.5
};

Result<Architecture> readArchitecture(const ModelIndex& index) {
    auto transformer = index.config("transformer");
    if (!transformer) return transformer.error();
    auto vae = index.config("vae");
    if (!vae) return vae.error();
    Architecture found;
    protocol::FieldReader fields(*transformer, (index.folder() / "transformer" / "config.json").string(),
                                 ErrorCode::InvalidData);
    fields.integer("num_layers", found.layers);
    fields.integer("num_attention_heads", found.heads);
    fields.integer("patch_size", found.patch);
    fields.integer("sample_width", found.sampleWidth);
    fields.integer("sample_height", found.sampleHeight);
    fields.integer("sample_frames", found.sampleFrames);
    fields.boolean("use_rotary_positional_embeddings", found.isRotary);
    fields.boolean("use_learned_positional_embeddings", found.hasLearnedPositions);
    if (auto read = fields.finish(); !read) return read.error();
    const auto timePatch = transformer->find("patch_size_t");
    found.hasTimePatches = timePatch != transformer->end() && !timePatch->is_null();
    protocol::FieldReader vaeFields(*vae, (index.folder() / "vae" / "config.json").string(),
                                    ErrorCode::InvalidData);
    vaeFields.integer("temporal_compression_ratio", found.temporal);
    vaeFields.integer("sample_height", found.vaeSampleHeight);
    if (auto read = vaeFields.finish(); !read) return read.error();
    const auto levels = vae->find("block_out_channels");
    constexpr std::size_t kMostLevels = 7;
    if (levels != vae->end() && levels->is_array() && !levels->empty() && levels->size() <= kMostLevels)
        found.spatial = 1 << (levels->size() - 1);

    constexpr int kMostSample = 1 << 14;
    const std::array bounds{ConfigBound{"num_layers", found.layers, 1024},
                            ConfigBound{"num_attention_heads", found.heads, 1024},
                            ConfigBound{"patch_size", found.patch, 16},
                            ConfigBound{"sample_width", found.sampleWidth, kMostSample},
                            ConfigBound{"sample_height", found.sampleHeight, kMostSample},
                            ConfigBound{"sample_frames", found.sampleFrames, kMostSample},
                            ConfigBound{"temporal_compression_ratio", found.temporal, 64}};
    if (auto checked = checkBounds(index, bounds); !checked) return checked.error();
    return found;
}

constexpr int kHeadsOf2b = 30, kHeadsOf5b = 48;

/// Published models have their names in those of their clips, others their task.
std::string clipPrefixOf(const Architecture& architecture, const std::string& task) {
    const std::string clips(kClipPrefix), image = task == "i2v" ? "-i2v" : "";
    if (architecture.heads == kHeadsOf2b && !architecture.isRotary) return clips + "2b" + image;
    if (architecture.heads == kHeadsOf5b)
        return clips + (architecture.hasTimePatches ? "1.5-5b" : "5b") + image;
    return clips + task;
}

/// Of the timestep's embedding. Source: TeaCache (github.com/ali-vilab/TeaCache, 7c10efc),
/// TeaCache4CogVideoX1.5, coefficients_dict.
StepCacheCurves publishedCurvesOf(const Architecture& architecture, const std::string& task) {
    if (architecture.heads == kHeadsOf2b && !architecture.isRotary && task == "t2v")
        return {{-3.10658903e+01, 2.54732368e+01, -5.92380459e+00, 1.75769064e+00, -3.61568434e-03}, {}};
    if (architecture.heads != kHeadsOf5b) return {};
    if (!architecture.hasTimePatches)
        return {{-1.53880483e+03, 8.43202495e+02, -1.34363087e+02, 7.97131516e+00, -5.23162339e-02}, {}};
    if (task == "i2v")
        return {{1.22842302e+02, -1.04088754e+02, 2.62981677e+01, -3.06009921e-01, 3.71213220e-02}, {}};
    return {{2.50210439e+02, -1.65061612e+02, 3.57804877e+01, -7.81551492e-01, 3.58559703e-02}, {}};
}

Result<ModelInfo> describe(const ModelIndex& index, std::string_view family, const Task& task) {
    if (auto checked = checkTextEncoder(index, "text_encoder", "T5EncoderModel"); !checked)
        return checked.error();
    const auto read = readArchitecture(index);
    if (!read) return read.error();
    const Architecture& architecture = *read;
    ModelInfo model;
    model.family = family;
    model.defaults.width = architecture.sampleWidth * architecture.spatial;
    model.defaults.height = architecture.sampleHeight * architecture.spatial;
    model.defaults.numFrames = architecture.sampleFrames;
    model.defaults.fps = 8;
    if (architecture.hasTimePatches) {
        // 1.5's sample size is the largest; these are what its examples render.
        model.defaults.width = std::min(model.defaults.width, 1360);
        model.defaults.height = std::min(model.defaults.height, 768);
        model.defaults.fps = 16;
    }
    model.defaults.numInferenceSteps = 50;
    model.defaults.guidanceScale = 6;
    const int multiple = architecture.spatial * architecture.patch;
    model.sizes = {.sizeMultiple = multiple, .maxSize = 16384 / multiple * multiple};
    // The VAE makes the first frame of one latent frame only where their number is odd.
    const int stride = 2 * architecture.temporal;
    model.frames = {.stride = stride, .first = 1, .most = stride * 511 + 1};
    model.extraFields.assign(kFields.begin(), kFields.end());
    offer(model, {task});
    model.schedulers.assign(kSchedulers.begin(), kSchedulers.end());
    // As diffusers tiles: half of the sample's height, where that is a tile.
    constexpr int kLeastTile = 64;
    const int tile = architecture.vaeSampleHeight / 2 / multiple * multiple;
    if (tile >= kLeastTile) model.defaults.vaeTilePx = tile;
    // As each was trained: 5b's activations leave fp16's range.
    model.gpuDtype = architecture.isRotary ? "bf16" : "fp16";
    model.gpuVaeFollowsDtype = true;
    model.gpuGenerator = "cuda";
    model.isSizeFixed = architecture.hasLearnedPositions;
    model.usualPrompt = kUsualPrompt;
    model.clipPrefix = clipPrefixOf(architecture, task.name);
    model.layers = architecture.layers;
    model.stepCacheCurves = publishedCurvesOf(architecture, task.name);
    model.attentionKinds = {protocol::ModuleKind::Joint};
    return model;
}

bool isText(const ModelIndex& index) {
    return index.pipelineClass() == kTextPipeline;
}
bool isImage(const ModelIndex& index) {
    return index.pipelineClass() == kImagePipeline;
}

Result<ModelInfo> describeText(const ModelIndex& index) {
    return describe(index, kText, {.name = "t2v"});
}
Result<ModelInfo> describeImage(const ModelIndex& index) {
    return describe(index, kImage, {.name = "i2v", .prompt = Need::Required, .image = Need::Required});
}

constexpr std::array kPipelines{
    Pipeline{kText, "CogVideoX text-to-video", kTextPipeline, kComponents, isText, describeText},
    Pipeline{kImage, "CogVideoX image-to-video", kImagePipeline, kComponents, isImage, describeImage},
};

constexpr std::array kKnownModels{
    KnownModel{"THUDM/CogVideoX-2b", "CogVideoX 2B"},
    KnownModel{"THUDM/CogVideoX-5b", "CogVideoX 5B"},
    KnownModel{"THUDM/CogVideoX-5b-I2V", "CogVideoX 5B I2V"},
    KnownModel{"THUDM/CogVideoX1.5-5B", "CogVideoX 1.5 5B"},
    KnownModel{"THUDM/CogVideoX1.5-5B-I2V", "CogVideoX 1.5 5B I2V"},
};

constexpr std::array kMiniatures{
    Miniature{.name = "demo-cogvideox",
              .folder = "cogvideox-demo",
              .prompt = "a red car driving to the right on a beach",
              .picture = ""},
};

constexpr std::array kNotes{
    FieldNote{"use_dynamic_cfg", ""},
    FieldNote{"vae_dtype", "on a GPU --dtype"},
    FieldNote{"generator", "on a GPU cuda"},
};

constexpr std::array kAttentionPresets{
    AttentionPreset{"cogvideox-2b", "1,30,17776,64",
                    "CogVideoX 2B joint attention, 720×480, 49 frames: 13·30·45 + 226 tokens"},
    AttentionPreset{"cogvideox-5b", "1,48,17776,64", "CogVideoX 5B joint attention, the same tokens"},
};

}  // namespace

Family family() {
    return {.name = "cogvideox",
            .title = "CogVideoX",
            .pipelines = kPipelines,
            .schedulers = kSchedulers,
            .layouts = {},
            .knownModels = kKnownModels,
            .miniatures = kMiniatures,
            .notes = kNotes,
            .attentionPresets = kAttentionPresets,
            .scripts = scripts(),
            .clipPrefix = kClipPrefix};
}

}  // namespace reelgrid::families::cogvideox
