#include "core/families/wan.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "core/base/json.h"
#include "core/protocol/field_reader.h"

namespace reelgrid::families {
namespace {

using nlohmann::json;

constexpr std::string_view kPipelineClass = "WanPipeline";
constexpr std::array<std::string_view, 5> kComponents{"transformer", "text_encoder", "vae", "tokenizer",
                                                      "scheduler"};

/// The config's keys that decide which sizes a render may have; absent ones are Wan 2.1's.
struct Architecture {
    int spatial = 8;
    int temporal = 4;
    int ropeRows = 1024;
    int layers = 40;
    int patch = 2;
};

Error outOfRange(const ModelIndex& index, const std::string& key, const std::string& value,
                 const std::string& needed) {
    return {ErrorCode::InvalidData,
            index.folder().string() + ": " + key + " " + value + ": " + needed + " was needed"};
}

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

    struct Bound {
        const char* key;
        int value;
        int most;
    };
    for (const Bound& bound :
         {Bound{"scale_factor_spatial", found.spatial, 64},
          Bound{"scale_factor_temporal", found.temporal, 64},
          Bound{"rope_max_seq_len", found.ropeRows, 65536}, Bound{"num_layers", found.layers, 1024}})
        if (bound.value < 1 || bound.value > bound.most)
            return outOfRange(index, bound.key, std::to_string(bound.value),
                              "1 to " + std::to_string(bound.most));
    return found;
}

bool recognises(const ModelIndex& index) {
    return index.pipelineClass() == kPipelineClass;
}

Result<ModelInfo> describe(const ModelIndex& index) {
    if (!index.classOf("transformer_2").empty())
        return Error{ErrorCode::Unsupported,
                     "model " + index.folder().string() +
                         ": it has a second transformer (Wan 2.2), this version runs Wan 2.1"};
    auto architecture = readArchitecture(index);
    if (!architecture) return architecture.error();

    ModelInfo model;
    model.family = wanFamily().name;
    model.tasks = {{.name = "t2v", .prompt = Need::Required, .image = Need::No}};
    model.defaults.task = "t2v";
    model.defaults.width = 832;
    model.defaults.height = 480;
    model.defaults.numFrames = 81;
    model.defaults.fps = 16;
    model.defaults.numInferenceSteps = 50;
    model.defaults.guidanceScale = 5;
    const int multiple = architecture->spatial * architecture->patch;
    model.sizes = {.sizeMultiple = multiple, .maxSize = multiple * architecture->ropeRows};
    model.frames = {.stride = architecture->temporal,
                    .first = 1,
                    .most = architecture->temporal * (architecture->ropeRows - 1) + 1};
    model.extraFields = {"negative_prompt", "guidance_scale", "scheduler",
                         "flow_shift",      "vae_tiling",     "vae_tile_px"};
    model.schedulers = {"unipc", "euler"};  // of protocol::kSchedulerNames those for flow matching
    model.layers = architecture->layers;
    model.attentionKinds = {protocol::ModuleKind::Self, protocol::ModuleKind::Cross};
    return model;
}

}  // namespace

Family wanFamily() {
    return {.name = "wan2.1",
            .title = "Wan 2.1 text-to-video",
            .pipelineClass = kPipelineClass,
            .components = kComponents,
            .recognises = recognises,
            .describe = describe};
}

}  // namespace reelgrid::families
