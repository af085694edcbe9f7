#include "core/families/animatediff/facts.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>

#include "core/base/json.h"
#include "core/families/animatediff/single_file.h"
#include "core/families/config_bounds.h"
#include "core/families/offered_tasks.h"
#include "core/protocol/field_reader.h"
#include "core/safetensors/header.h"

namespace reelgrid::families::animatediff {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kName = "animatediff";
constexpr std::string_view kMotion = "motion_adapter";
constexpr std::array<std::string_view, 6> kComponents{
    "unet", "motion_adapter", "text_encoder", "vae", "tokenizer", "scheduler",
};
constexpr std::array<std::string_view, 6> kSchedulers{
    "ddim", "euler", "euler-ancestral", "pndm", "dpm++", "lcm",
};
/// Fields of the request that the family's models take.
constexpr std::array<std::string_view, 22> kFields{
    "negative_prompt",
    "guidance_scale",
    "scheduler",
    "vae_tiling",
    "vae_tile_px",
    "motion_adapter",
    "motion_adapter_skip",
    "clip_skip",
    "temporal_alpha",
    "context_frames",
    "context_stride",
    "context_weights",
    "context_noise",
    "loop",
    "prompt_travel",
    "free_init",
    "lora",
    "chain_from",
    "chain_save",
    "chain_alpha",
    "frames_together",
    "offload",
};

/// The configurations' keys that decide which sizes a render may have; absent ones are Stable Diffusion
/// 1.5's.
struct Shape {
    int sampleSize = 64;  ///< latent pixels along an edge
    int layersPerBlock = 2;
    int blocks = 4;
    int spatial = 8;
    int mostFrames = 32;
};

int sizesOf(const nlohmann::json& config, int usual) {
    constexpr std::size_t kMostSizes = 8;
    const auto listed = config.find("block_out_channels");
    const bool isList = listed != config.end() && listed->is_array() && !listed->empty();
    return isList && listed->size() <= kMostSizes ? static_cast<int>(listed->size()) : usual;
}

/// The positions of a motion module's file, which comes without a configuration; 0 where it isn't one's.
int positionsIn(const fs::path& file) {
    if (file.extension() != ".safetensors") return 0;
    const auto tensors = safetensors::readHeaderOf(file);
    if (!tensors) return 0;
    for (const auto& [name, entry] : *tensors)
        if ((name.ends_with("pos_embed.pe") || name.ends_with("pos_encoder.pe")) && entry.shape.size() == 3)
            return static_cast<int>(entry.shape[1]);
    return 0;
}

constexpr std::string_view kMovingUnet = "UNetMotionModel";

/// Whether the UNet was saved with motion modules in it, by which it then moves (models/animatediff's
/// adapterOf()). Of a model without an adapter a file in PyTorch's own format is taken for one with modules:
/// the model itself finds out when it is loaded.
bool movesItself(const ModelIndex& index, const nlohmann::json& unet) {
    const std::string motion(kMotion);
    if (index.pathOf(motion) != index.folder() / kMotion ||
        unet.value("_class_name", nlohmann::json()) != kMovingUnet)
        return false;
    const bool hasAdapter = !index.classOf(motion).empty();
    return std::ranges::any_of(index.filesOf("unet"), [&](const fs::path& file) {
        if (file.extension() != ".safetensors") return !hasAdapter && file.extension() == ".bin";
        const auto tensors = safetensors::readHeaderOf(file);
        return tensors && tensors->contains("down_blocks.0.motion_modules.0.norm.weight");
    });
}

/// As diffusers saves it where the modules are in the UNet.
bool goesWithout(const ModelIndex& index, std::string_view component) {
    return component == kMotion && index.classOf("unet") == kMovingUnet;
}

Result<Shape> readShape(const ModelIndex& index) {
    const auto unet = index.config("unet");
    if (!unet) return unet.error();
    const auto vae = index.config("vae");
    if (!vae) return vae.error();
    Shape shape;
    shape.blocks = sizesOf(*unet, shape.blocks);
    shape.spatial = 1 << (sizesOf(*vae, 4) - 1);
    protocol::FieldReader fields(*unet, (index.pathOf("unet") / "config.json").string(),
                                 ErrorCode::InvalidData);
    fields.integer("sample_size", shape.sampleSize);
    if (auto read = fields.finish(); !read) return read.error();
    const auto layers = unet->find("layers_per_block");
    if (layers != unet->end() && layers->is_number_integer()) shape.layersPerBlock = layers->get<int>();

    // Of a file in PyTorch's own format the model itself finds out when it is loaded.
    const std::string motion(kMotion);
    const fs::path path = index.pathOf(motion);
    std::error_code failed;
    if (movesItself(index, *unet)) {
        protocol::FieldReader own(*unet, (index.pathOf("unet") / "config.json").string(),
                                  ErrorCode::InvalidData);
        own.integer("motion_max_seq_length", shape.mostFrames);
        if (auto read = own.finish(); !read) return read.error();
    } else if (index.classOf(motion).empty()) {
        const nlohmann::json said = index.json().value(motion, nlohmann::json());
        return Error{
            ErrorCode::InvalidData,
            index.file().string() + ": " + motion + " is " + showJson(said) + ", and " +
                index.pathOf("unet").string() +
                " has no motion modules in it: one of the two was needed; --motion-adapter names one"};
    } else if (fs::is_regular_file(path, failed)) {
        if (const int positions = positionsIn(path); positions > 0) shape.mostFrames = positions;
    } else {
        const auto config = index.config(motion);
        if (!config) return config.error();
        protocol::FieldReader motionFields(*config, (path / "config.json").string(), ErrorCode::InvalidData);
        motionFields.integer("motion_max_seq_length", shape.mostFrames);
        if (auto read = motionFields.finish(); !read) return read.error();
    }
    const std::array bounds{ConfigBound{"sample_size", shape.sampleSize, 2048},
                            ConfigBound{"layers_per_block", shape.layersPerBlock, 64},
                            ConfigBound{"motion_max_seq_length", shape.mostFrames, 4096}};
    if (auto checked = checkBounds(index, bounds); !checked) return checked.error();
    return shape;
}

/// Of a name like animatediff_lightning_4step_diffusers.safetensors; 0 where it isn't one.
int lightningSteps(const fs::path& adapter) {
    const std::string name = adapter.filename().string();
    constexpr std::string_view kBefore = "lightning_";
    const auto at = name.find(kBefore);
    const auto end = at == std::string::npos ? at : name.find("step", at);
    if (end == std::string::npos) return 0;
    int steps = 0;
    const char* first = name.data() + at + kBefore.size();
    const auto read = std::from_chars(first, name.data() + end, steps);
    return read.ec == std::errc() && steps <= 1000 ? std::max(steps, 0) : 0;
}

/// diffusers' own pipeline, or Stable Diffusion's, which needs a motion adapter beside it.
bool recognises(const ModelIndex& index) {
    const std::string name = index.pipelineClass();
    return name == "AnimateDiffPipeline" || name == "StableDiffusionPipeline";
}

Result<ModelInfo> describe(const ModelIndex& index) {
    const auto shape = readShape(index);
    if (!shape) return shape.error();
    ModelInfo model;
    model.family = kName;
    model.defaults.width = shape->sampleSize * shape->spatial;
    model.defaults.height = model.defaults.width;
    model.defaults.numFrames = std::min(16, shape->mostFrames);
    model.defaults.fps = 8;
    model.defaults.numInferenceSteps = 50;
    model.defaults.guidanceScale = 7.5;
    // Distilled into so few steps, without guidance.
    if (const int steps = lightningSteps(index.pathOf(std::string(kMotion))); steps > 0) {
        model.defaults.numInferenceSteps = steps;
        model.defaults.guidanceScale = 1;
    }
    model.defaults.vaeTilePx = 512;
    model.sizes = {.sizeMultiple = shape->spatial, .maxSize = 16384 / shape->spatial * shape->spatial};
    model.frames = {.stride = 1, .first = 2};
    model.extraFields.assign(kFields.begin(), kFields.end());
    offer(model, {{.name = "t2v", .prompt = Need::Required}});
    model.schedulers.assign(kSchedulers.begin(), kSchedulers.end());
    model.gpuDtype = "fp16";
    model.gpuVaeFollowsDtype = true;
    model.clipPrefix = kName;
    model.layers = shape->blocks * (2 * shape->layersPerBlock + 1) + 1;
    model.attentionKinds = {protocol::ModuleKind::Self, protocol::ModuleKind::Cross,
                            protocol::ModuleKind::Temporal};
    return model;
}

constexpr std::array kPipelines{
    Pipeline{kName,
             "AnimateDiff text-to-video",
             "AnimateDiffPipeline",
             kComponents,
             recognises,
             describe,
             {},
             goesWithout},
};
constexpr std::array kLayouts{LayoutReader{isStableDiffusionFile, readStableDiffusionFile}};
constexpr std::array kMiniatures{
    Miniature{.name = "demo-animatediff",
              .folder = "demo-animatediff",
              .prompt = "a red car driving to the right on a beach",
              .picture = ""},
};
constexpr std::array kNotes{
    FieldNote{"motion_adapter", ""},
    FieldNote{"motion_adapter_skip", ""},
    FieldNote{"clip_skip", ""},
    FieldNote{"temporal_alpha", "1, as it was trained"},
    FieldNote{"context_frames", ""},
    FieldNote{"context_stride", ""},
    FieldNote{"context_weights", ""},
    FieldNote{"context_noise", ""},
    FieldNote{"loop", ""},
    FieldNote{"prompt_travel", ""},
    FieldNote{"free_init", ""},
    FieldNote{"frames_together", ""},
    FieldNote{"chain_from", ""},
    FieldNote{"chain_save", ""},
    FieldNote{"chain_alpha", ""},
};

constexpr std::array kAttentionPresets{
    AttentionPreset{"animatediff-sd15", "16,8,4096,40",
                    "AnimateDiff on Stable Diffusion 1.5, spatial attention, 512×512, 16 frames"},
    AttentionPreset{"animatediff-sd15-cross", "16,8,4096,40,77", "its cross-attention over 77 text tokens"},
    AttentionPreset{"animatediff-sd15-temporal", "4096,8,16,40", "its motion module over 16 frames"},
};

}  // namespace

Family family() {
    return {.name = kName,
            .title = "AnimateDiff",
            .pipelines = kPipelines,
            .schedulers = kSchedulers,
            .layouts = kLayouts,
            .knownModels = {},
            .miniatures = kMiniatures,
            .notes = kNotes,
            .attentionPresets = kAttentionPresets,
            .clipPrefix = kName};
}

}  // namespace reelgrid::families::animatediff
