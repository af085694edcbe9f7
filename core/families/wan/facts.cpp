#include "core/families/wan/facts.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "core/base/json.h"
#include "core/families/config_bounds.h"
#include "core/families/offered_tasks.h"
#include "core/families/wan/config.h"
#include "core/families/wan/layout.h"
#include "core/families/wan/scripts.h"
#include "core/families/wan/step_cache_curves.h"
#include "core/protocol/field_reader.h"

namespace reelgrid::families::wan {
namespace {

using nlohmann::json;

constexpr std::string_view kWan21 = "wan2.1", kWan21Image = "wan2.1-i2v", kWan22 = "wan2.2",
                           kWan22Image = "wan2.2-i2v", kWan22TextImage = "wan2.2-ti2v";
constexpr std::string_view kTextPipeline = "WanPipeline", kImagePipeline = "WanImageToVideoPipeline";
constexpr std::array<std::string_view, 5> kComponents{
    "transformer", "text_encoder", "vae", "tokenizer", "scheduler",
};
constexpr std::array<std::string_view, 7> kImageComponents{
    "transformer", "text_encoder", "image_encoder", "image_processor", "vae", "tokenizer", "scheduler",
};
constexpr std::array<std::string_view, 6> kExpertsComponents{
    "transformer", "transformer_2", "text_encoder", "vae", "tokenizer", "scheduler",
};
constexpr std::array<std::string_view, 4> kSchedulers{"unipc", "euler", "rcm", "rcm-ode"};
/// Fields of the request that all Wan models take.
constexpr std::array<std::string_view, 17> kFields{
    "negative_prompt",
    "guidance_scale",
    "scheduler",
    "flow_shift",
    "sigma_max",
    "vae_tiling",
    "vae_tile_px",
    "lora",
    "step_cache",
    "offload",
    "linear",
    "use_fp8_gemms",
    "use_bf16_te_gemms",
    "vae",
    "text_encoder",
    "ulysses_degree",
    "shard_weights",
};

/// sample_neg_prompt of Wan's own configurations, which all its examples are made with.
constexpr const char* kNegativePrompt =
    "色调艳丽，过曝，静态，细节模糊不清，字幕，风格，作品，画作，画面，静止，整体发灰，最差质量，低质量，"
    "JPEG压缩残留，丑陋的，残缺的，多余的手指，画得不好的手部，画得不好的脸部，畸形的，毁容的，"
    "形态畸形的肢体，手指融合，静止不动的画面，杂乱的背景，三条腿，背景人很多，倒着走";

/// The config's keys that decide which sizes a render may have; absent ones are Wan 2.1's.
struct Architecture {
    int spatial = 8;
    int temporal = 4;
    int ropeRows = 1024;
    int layers = 40;
    int patch = 2;
};

/// [1, p, p]: one latent frame a token, square patches.
Result<int> patchOf(const ModelIndex& index, const json& transformer, int usual) {
    const auto patch = transformer.find("patch_size");
    if (patch == transformer.end() || patch->is_null()) return usual;
    constexpr int kLargest = 16;
    const bool whole = patch->is_array() && patch->size() == 3 &&
                       std::ranges::all_of(*patch, [](const json& side) { return side.is_number_integer(); });
    if (whole && (*patch)[0] == 1 && (*patch)[1] == (*patch)[2] && (*patch)[1] >= 1 &&
        (*patch)[1] <= kLargest)
        return (*patch)[1].get<int>();
    return outOfRange(index, "patch_size", showJson(*patch),
                      "[1, p, p] with p from 1 to " + std::to_string(kLargest));
}

/// The factors that the pipeline counts pixels and frames by must be what the VAE's layers make of them: else
/// a clip would have another size than was asked for. What isn't listed is looked at when the VAE is loaded.
Result<void> checkFactors(const ModelIndex& index, const json& vae, int spatial, int temporal) {
    constexpr std::size_t kMostLevels = 8;
    const auto isList = [](const json& list) { return list.is_array() && list.size() <= kMostLevels; };
    const json levels = vae.value("dim_mult", json()), patch = vae.value("patch_size", json()),
               halvings = vae.value("temperal_downsample", json());
    if (isList(levels) && !levels.empty()) {
        const auto side = patch.is_number_integer() ? patch.get<std::int64_t>() : 1;
        const std::int64_t factor = side << (levels.size() - 1);
        if (side >= 1 && side <= 16 && spatial != factor)
            return outOfRange(index, "scale_factor_spatial", std::to_string(spatial),
                              std::to_string(factor) + " (of dim_mult and patch_size)");
    }
    if (isList(halvings)) {
        const int factor = 1 << std::ranges::count(halvings, json(true));
        if (temporal != factor)
            return outOfRange(index, "scale_factor_temporal", std::to_string(temporal),
                              std::to_string(factor) + " (of temperal_downsample)");
    }
    return {};
}

Result<Architecture> readArchitecture(const ModelIndex& index) {
    auto transformer = index.config("transformer");
    if (!transformer) return transformer.error();
    auto vae = index.config("vae");
    if (!vae) return vae.error();
    Architecture found;
    protocol::FieldReader vaeFields(*vae, (index.folder() / "vae" / "config.json").string(),
                                    ErrorCode::InvalidData);
    vaeFields.integer("scale_factor_spatial", found.spatial);
    vaeFields.integer("scale_factor_temporal", found.temporal);
    if (auto read = vaeFields.finish(); !read) return read.error();
    protocol::FieldReader fields(*transformer, (index.folder() / "transformer" / "config.json").string(),
                                 ErrorCode::InvalidData);
    fields.integer("rope_max_seq_len", found.ropeRows);
    fields.integer("num_layers", found.layers);
    if (auto read = fields.finish(); !read) return read.error();
    auto patch = patchOf(index, *transformer, found.patch);
    if (!patch) return patch.error();
    found.patch = *patch;

    const std::array bounds{ConfigBound{"scale_factor_spatial", found.spatial, 64},
                            ConfigBound{"scale_factor_temporal", found.temporal, 64},
                            ConfigBound{"rope_max_seq_len", found.ropeRows, 65536},
                            ConfigBound{"num_layers", found.layers, 1024}};
    if (auto checked = checkBounds(index, bounds); !checked) return checked.error();
    if (auto checked = checkFactors(index, *vae, found.spatial, found.temporal); !checked)
        return checked.error();
    return found;
}

bool hasExperts(const ModelIndex& index) {
    return !index.classOf("transformer_2").empty();
}

bool isText(const ModelIndex& index) {
    return index.pipelineClass() == kTextPipeline && !hasExperts(index) && !index.isOn("expand_timesteps");
}
bool isImage(const ModelIndex& index) {
    return index.pipelineClass() == kImagePipeline && !hasExperts(index) && !index.isOn("expand_timesteps");
}
bool isExperts(const ModelIndex& index) {
    return index.pipelineClass() == kTextPipeline && hasExperts(index);
}
bool isImageExperts(const ModelIndex& index) {
    return index.pipelineClass() == kImagePipeline && hasExperts(index);
}
/// Published as a WanPipeline, and run as either.
bool hasTokenTimes(const ModelIndex& index) {
    const std::string name = index.pipelineClass();
    return (name == kTextPipeline || name == kImagePipeline) && !hasExperts(index) &&
           index.isOn("expand_timesteps");
}

/// As TurboDiffusion's scripts render: a few steps without guidance, at the resolution of the file's name.
void useFewSteps(ModelInfo& model, const std::filesystem::path& file) {
    model.defaults.numInferenceSteps = 4;
    model.defaults.guidanceScale = 1;
    model.defaults.guidanceScale2.reset();
    model.defaults.flowShift.reset();
    model.defaults.negativePrompt.clear();
    const bool isLarge = file.filename().string().find("720") != std::string::npos;
    model.defaults.width = isLarge ? 1280 : 832;
    model.defaults.height = isLarge ? 720 : 480;
}

bool hasIntegers(const ModelIndex& index) {
    const auto transformer = index.config("transformer");
    return transformer && storesInt8(*transformer);
}

bool hasFewSteps(const ModelIndex& index) {
    const auto transformer = index.config("transformer");
    return transformer && isDistilled(*transformer);
}

/// Settings of the pipeline that decide which of Wan's models this is, and so the picture.
Result<void> checkSettings(const ModelIndex& index) {
    const json tokenTimes = index.json().value("expand_timesteps", json()),
               boundary = index.json().value("boundary_ratio", json());
    if (!tokenTimes.is_null() && !tokenTimes.is_boolean())
        return outOfRange(index, "expand_timesteps", showJson(tokenTimes), "true or false");
    if (!boundary.is_null() && !hasExperts(index))
        return outOfRange(index, "boundary_ratio", showJson(boundary),
                          "null, or a transformer_2 that predicts below it,");
    return {};
}

/// The description that all Wan models share.
Result<ModelInfo> describeCommon(const ModelIndex& index, std::string_view family) {
    if (auto checked = checkSettings(index); !checked) return checked.error();
    if (auto checked = checkTextEncoder(index, "text_encoder", "UMT5EncoderModel"); !checked)
        return checked.error();
    auto architecture = readArchitecture(index);
    if (!architecture) return architecture.error();

    ModelInfo model;
    model.family = family;
    model.defaults.width = 832;
    model.defaults.height = 480;
    model.defaults.numFrames = 81;
    model.defaults.fps = 16;
    model.defaults.numInferenceSteps = 50;
    model.defaults.guidanceScale = 5;
    model.defaults.negativePrompt = kNegativePrompt;
    const int multiple = architecture->spatial * architecture->patch;
    model.sizes = {.sizeMultiple = multiple, .maxSize = multiple * architecture->ropeRows};
    model.frames = {.stride = architecture->temporal,
                    .first = 1,
                    .most = architecture->temporal * (architecture->ropeRows - 1) + 1};
    model.extraFields.assign(kFields.begin(), kFields.end());
    model.schedulers.assign(kSchedulers.begin(), kSchedulers.end());
    model.layers = architecture->layers;
    // A distilled model's few steps are other steps.
    if (!hasFewSteps(index)) model.stepCacheCurves = stepCacheCurvesOf(family, architecture->layers);
    model.storesInt8 = hasIntegers(index);
    model.attentionKinds = {protocol::ModuleKind::Self, protocol::ModuleKind::Cross};
    return model;
}

/// As in Wan's own configurations of its two experts.
void useExperts(ModelInfo& model, double highNoiseGuidance, double lowNoiseGuidance, double flowShift) {
    model.extraFields.insert(model.extraFields.end(),
                             {"guidance_scale_2", "lora_2", "transformer_2", "boundary"});
    model.defaults.guidanceScale = highNoiseGuidance;
    model.defaults.guidanceScale2 = lowNoiseGuidance;
    model.defaults.flowShift = flowShift;
    model.defaults.numInferenceSteps = 40;
    model.defaults.width = 1280;
    model.defaults.height = 720;
}

Result<ModelInfo> describeText(const ModelIndex& index) {
    auto model = describeCommon(index, kWan21);
    if (!model) return model;
    offer(*model, {{.name = "t2v"}});
    if (hasFewSteps(index)) useFewSteps(*model, index.folder());
    return model;
}

/// Published for 480p and for 720p, which differ in the flow shift alone (3 and 5).
Result<ModelInfo> describeImage(const ModelIndex& index) {
    auto model = describeCommon(index, kWan21Image);
    if (!model) return model;
    auto transformer = index.config("transformer");
    if (!transformer) return transformer.error();
    auto scheduler = index.config("scheduler", "scheduler_config.json");
    if (!scheduler) return scheduler.error();
    double flowShift = 3;
    protocol::FieldReader fields(*scheduler, (index.folder() / "scheduler/scheduler_config.json").string(),
                                 ErrorCode::InvalidData);
    fields.number("flow_shift", flowShift);
    if (auto read = fields.finish(); !read) return read.error();
    if (flowShift >= 5) {
        model->defaults.width = 1280;
        model->defaults.height = 720;
    }
    // FLF2V's image embedder has positions of two pictures.
    const auto positions = transformer->find("pos_embed_seq_len");
    const bool ofTwo = positions != transformer->end() && !positions->is_null();
    offer(*model, {{.name = "i2v",
                    .prompt = Need::Required,
                    .image = Need::Required,
                    .lastImage = ofTwo ? Need::Required : Need::No}});
    return model;
}

Result<ModelInfo> describeExperts(const ModelIndex& index) {
    auto model = describeCommon(index, kWan22);
    if (!model) return model;
    offer(*model, {{.name = "t2v"}});
    useExperts(*model, 4, 3, 12);
    return model;
}

Result<ModelInfo> describeImageExperts(const ModelIndex& index) {
    auto model = describeCommon(index, kWan22Image);
    if (!model) return model;
    offer(*model,
          {{.name = "i2v", .prompt = Need::Required, .image = Need::Required, .lastImage = Need::Optional}});
    useExperts(*model, 3.5, 3.5, 5);
    if (hasFewSteps(index)) useFewSteps(*model, index.folder());
    return model;
}

Result<ModelInfo> describeTokenTimes(const ModelIndex& index) {
    auto model = describeCommon(index, kWan22TextImage);
    if (!model) return model;
    offer(*model, {{.name = "ti2v", .prompt = Need::Required, .image = Need::Optional},
                   {.name = "t2v"},
                   {.name = "i2v", .prompt = Need::Required, .image = Need::Required}});
    model->defaults.width = 1280;
    model->defaults.height = 704;
    model->defaults.numFrames = 121;
    model->defaults.fps = 24;
    model->defaults.flowShift = 5;
    return model;
}

/// Whether the checkpoint's own sampler is rCM's.
bool walksRcm(const ModelIndex& index) {
    const auto scheduler = index.config("scheduler", "scheduler_config.json");
    const json name = scheduler ? scheduler->value("_class_name", json()) : json();
    return name == "RCMScheduler" || name == "RCMOdeScheduler";
}

/// With the defaults that the checkpoint's own sampler leaves.
template <auto kDescribe>
Result<ModelInfo> described(const ModelIndex& index) {
    auto model = kDescribe(index);
    if (model && walksRcm(index)) model->defaults = model->defaultsWith("rcm");
    return model;
}

constexpr std::array kPipelines{
    Pipeline{kWan21, "Wan 2.1 text-to-video", kTextPipeline, kComponents, isText, described<describeText>},
    Pipeline{kWan21Image, "Wan 2.1 image-to-video", kImagePipeline, kImageComponents, isImage,
             described<describeImage>},
    Pipeline{kWan22, "Wan 2.2 text-to-video", kTextPipeline, kExpertsComponents, isExperts,
             described<describeExperts>},
    Pipeline{kWan22Image, "Wan 2.2 image-to-video", kImagePipeline, kExpertsComponents, isImageExperts,
             described<describeImageExperts>},
    Pipeline{kWan22TextImage, "Wan 2.2 text- and image-to-video", kTextPipeline, kComponents, hasTokenTimes,
             described<describeTokenTimes>},
};

constexpr std::array kLayouts{
    LayoutReader{isWanLayout, readWanLayout},
    LayoutReader{isWanFile, readWanFile},
};

constexpr std::array kKnownModels{
    KnownModel{"Wan-AI/Wan2.1-T2V-1.3B-Diffusers", "Wan 2.1 T2V 1.3B"},
    KnownModel{"Wan-AI/Wan2.1-T2V-14B-Diffusers", "Wan 2.1 T2V 14B"},
    KnownModel{"Wan-AI/Wan2.1-I2V-14B-480P-Diffusers", "Wan 2.1 I2V 14B, 480p"},
    KnownModel{"Wan-AI/Wan2.1-I2V-14B-720P-Diffusers", "Wan 2.1 I2V 14B, 720p"},
    KnownModel{"Wan-AI/Wan2.2-T2V-A14B-Diffusers", "Wan 2.2 T2V A14B"},
    KnownModel{"Wan-AI/Wan2.2-I2V-A14B-Diffusers", "Wan 2.2 I2V A14B"},
    KnownModel{"Wan-AI/Wan2.2-TI2V-5B-Diffusers", "Wan 2.2 TI2V 5B"},
    KnownModel{"TurboDiffusion/TurboWan2.1-T2V-1.3B-480P", "TurboDiffusion, Wan 2.1 T2V 1.3B in four steps"},
    KnownModel{"TurboDiffusion/TurboWan2.1-T2V-14B-480P", "TurboDiffusion, Wan 2.1 T2V 14B, 480p"},
    KnownModel{"TurboDiffusion/TurboWan2.1-T2V-14B-720P", "TurboDiffusion, Wan 2.1 T2V 14B, 720p"},
    KnownModel{"TurboDiffusion/TurboWan2.2-I2V-A14B-720P", "TurboDiffusion, Wan 2.2 I2V A14B"},
};

constexpr std::array kMiniatures{
    Miniature{.name = "demo",
              .folder = "wan-demo",
              .prompt = "a red car driving to the right on a beach",
              .picture = ""},
    Miniature{.name = "demo-i2v",
              .folder = "wan-demo-i2v",
              .prompt = "a red car driving to the left on a beach",
              .picture = "pictures/red-car-beach.png"},
    Miniature{.name = "demo-turbo",
              .folder = "demo-turbo",
              .prompt = "a red heart growing bigger in a blue sky",
              .picture = ""},
};

/// --model of TurboDiffusion's scripts.
constexpr std::array<std::string_view, 3> kScriptNames{"Wan2.1-1.3B", "Wan2.1-14B", "Wan2.2-A14B"};

/// Of TurboDiffusion's repositories, which hold transformers alone.
constexpr std::array kCompanions{
    Companion{"vae", "Wan-AI/Wan2.1-T2V-1.3B/Wan2.1_VAE.pth"},
    Companion{"text_encoder", "Wan-AI/Wan2.1-T2V-1.3B/models_t5_umt5-xxl-enc-bf16.pth"},
    Companion{"tokenizer", "Wan-AI/Wan2.1-T2V-1.3B/google/umt5-xxl/tokenizer.json"},
};

constexpr std::array kNotes{
    FieldNote{"generator", "cpu"},
};

constexpr std::array kAttentionPresets{
    AttentionPreset{"wan-1.3b-480p", "1,12,32760,128",
                    "Wan 2.1 1.3B self-attention, 832×480, 81 frames: 21·30·52 tokens"},
    AttentionPreset{"wan-1.3b-480p-cross", "1,12,32760,128,512", "its cross-attention over 512 text tokens"},
    AttentionPreset{"wan-14b-480p", "1,40,32760,128",
                    "Wan 2.1 and 2.2 14B self-attention, 832×480, 81 frames"},
    AttentionPreset{"wan-14b-720p", "1,40,75600,128", "the same, 1280×720: 21·45·80 tokens"},
    AttentionPreset{"wan-14b-720p-cross", "1,40,75600,128,512", "its cross-attention over 512 text tokens"},
    AttentionPreset{"wan-ti2v-5b-720p", "1,24,27280,128",
                    "Wan 2.2 TI2V 5B self-attention, 1280×704, 121 frames: 31·22·40 tokens"},
};

}  // namespace

Family family() {
    return {.name = "wan",
            .title = "Wan",
            .pipelines = kPipelines,
            .schedulers = kSchedulers,
            .layouts = kLayouts,
            .knownModels = kKnownModels,
            .miniatures = kMiniatures,
            .notes = kNotes,
            .attentionPresets = kAttentionPresets,
            .scriptNames = kScriptNames,
            .companions = kCompanions,
            .scripts = scripts(),
            .clipPrefix = ""};
}

}  // namespace reelgrid::families::wan
