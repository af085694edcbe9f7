#include "core/families/svd/facts.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "core/families/config_bounds.h"
#include "core/families/offered_tasks.h"
#include "core/families/svd/single_file.h"
#include "core/protocol/field_reader.h"

namespace reelgrid::families::svd {
namespace {

constexpr std::string_view kSvd = "svd";
constexpr std::string_view kVideoPipeline = "StableVideoDiffusionPipeline";
constexpr std::array<std::string_view, 5> kParts{
    "unet", "image_encoder", "feature_extractor", "vae", "scheduler",
};
/// Fields of the request that the family's models take.
constexpr std::array<std::string_view, 8> kSvdFields{
    "motion_bucket_id",  "noise_aug_strength", "min_guidance_scale", "max_guidance_scale",
    "decode_chunk_size", "vae_tiling",         "vae_tile_px",        "offload",
};

/// The configurations' keys that decide which sizes a render may have and how it is named; absent ones are
/// SVD-XT's.
struct VideoShape {
    int sampleSize = 96;  ///< latent pixels along an edge of the square that it was trained at
    int frames = 25;
    int layersPerBlock = 2;
    int blocks = 4;
    int spatial = 8;
};

int countOf(const nlohmann::json& config, const char* key, int usual) {
    constexpr std::size_t kMost = 8;
    const auto listed = config.find(key);
    const bool isList = listed != config.end() && listed->is_array() && !listed->empty();
    return isList && listed->size() <= kMost ? static_cast<int>(listed->size()) : usual;
}

Result<VideoShape> readVideoShape(const ModelIndex& index) {
    const auto unet = index.config("unet");
    if (!unet) return unet.error();
    const auto vae = index.config("vae");
    if (!vae) return vae.error();
    VideoShape shape;
    shape.blocks = countOf(*unet, "block_out_channels", shape.blocks);
    shape.spatial = 1 << (countOf(*vae, "block_out_channels", 4) - 1);
    protocol::FieldReader fields(*unet, (index.pathOf("unet") / "config.json").string(),
                                 ErrorCode::InvalidData);
    fields.integer("sample_size", shape.sampleSize);
    fields.integer("num_frames", shape.frames);
    if (auto read = fields.finish(); !read) return read.error();
    const auto layers = unet->find("layers_per_block");
    if (layers != unet->end() && layers->is_number_integer()) shape.layersPerBlock = layers->get<int>();
    const std::array bounds{ConfigBound{"sample_size", shape.sampleSize, 2048},
                            ConfigBound{"num_frames", shape.frames, 1024},
                            ConfigBound{"layers_per_block", shape.layersPerBlock, 64}};
    if (auto checked = checkBounds(index, bounds); !checked) return checked.error();
    return shape;
}

bool recognises(const ModelIndex& index) {
    return index.pipelineClass() == kVideoPipeline;
}

Result<ModelInfo> describe(const ModelIndex& index) {
    const auto shape = readVideoShape(index);
    if (!shape) return shape.error();
    ModelInfo model;
    model.family = kSvd;
    // 16:9 with the area of the square that it was trained at: 1024×576 of 768².
    const int edge = shape->sampleSize * shape->spatial, multiple = shape->spatial;
    const auto side = [&](int numerator, int denominator) {
        return std::max(multiple, edge * numerator / denominator / multiple * multiple);
    };
    model.defaults.width = side(4, 3);
    model.defaults.height = side(3, 4);
    model.defaults.numFrames = shape->frames;
    model.defaults.fps = 7;
    model.defaults.numInferenceSteps = 25;
    model.defaults.motionBucketId = 127;
    model.defaults.noiseAugStrength = 0.02;
    model.defaults.minGuidanceScale = 1;
    model.defaults.maxGuidanceScale = 3;
    model.defaults.decodeChunkSize = 8;
    model.defaults.guidanceScale = 3;
    model.defaults.vaeTilePx = 64 * multiple;
    model.sizes = {.sizeMultiple = multiple, .maxSize = 16384 / multiple * multiple};
    model.frames = {.stride = 1, .first = 1, .most = 1024};
    model.extraFields.assign(kSvdFields.begin(), kSvdFields.end());
    offer(model, {{.name = "i2v", .prompt = Need::No, .image = Need::Required}});
    model.gpuDtype = "fp16";
    model.gpuVaeFollowsDtype = true;
    model.clipPrefix = kSvd;
    model.layers = shape->blocks * (2 * shape->layersPerBlock + 1) + 1;
    model.attentionKinds = {protocol::ModuleKind::Self, protocol::ModuleKind::Temporal,
                            protocol::ModuleKind::Cross};
    return model;
}

constexpr std::array kVideoPipelines{
    Pipeline{kSvd, "Stable Video Diffusion image-to-video", kVideoPipeline, kParts, recognises, describe},
};

constexpr std::array kSvdLayouts{
    LayoutReader{isSvdFile, readSvdFile},
};

constexpr std::array kSvdModels{
    KnownModel{"stabilityai/stable-video-diffusion-img2vid", "Stable Video Diffusion, 14 frames"},
    KnownModel{"stabilityai/stable-video-diffusion-img2vid-xt", "Stable Video Diffusion XT, 25 frames"},
    KnownModel{"stabilityai/stable-video-diffusion-img2vid-xt-1-1", "Stable Video Diffusion XT 1.1"},
};

constexpr std::array kMiniatures{
    Miniature{
        .name = "demo-svd", .folder = "demo-svd", .prompt = "", .picture = "pictures/red-car-beach-wide.png"},
};

constexpr std::array kSvdNotes{
    FieldNote{"fps", "also told to the model"},
    FieldNote{"vae_dtype", "on a GPU --dtype"},
};

constexpr std::array kAttentionPresets{
    AttentionPreset{"svd-576p", "25,5,9216,64",
                    "Stable Video Diffusion XT spatial attention, 1024×576, 25 frames: 72·128 tokens each"},
    AttentionPreset{"svd-576p-temporal", "9216,5,25,64", "its temporal attention over 25 frames"},
};

}  // namespace

Family family() {
    return {.name = "svd",
            .title = "Stable Video Diffusion",
            .pipelines = kVideoPipelines,
            .schedulers = {},
            .layouts = kSvdLayouts,
            .knownModels = kSvdModels,
            .miniatures = kMiniatures,
            .notes = kSvdNotes,
            .attentionPresets = kAttentionPresets,
            .clipPrefix = kSvd};
}

}  // namespace reelgrid::families::svd
