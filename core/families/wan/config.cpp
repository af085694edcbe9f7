#include "core/families/wan/config.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/json.h"
#include "core/families/wan/config_beside.h"
#include "core/safetensors/numbered_blocks.h"

namespace reelgrid::families::wan {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using safetensors::TensorEntries;

constexpr std::int64_t kMostHeads = 1024;
/// Prefixes of a tensor's name (models/wan/original_names.cpp).
constexpr std::array<std::string_view, 3> kPrefixes{"", "model.diffusion_model.", "diffusion_model."};

/// One tensor's names, by Wan's authors and by diffusers.
struct Named {
    std::string_view original, diffusers;
};
constexpr Named kPatchEmbedding{"patch_embedding.weight", "patch_embedding.weight"};
constexpr Named kText{"text_embedding.0.weight", "condition_embedder.text_embedder.linear_1.weight"};
constexpr Named kTime{"time_embedding.0.weight", "condition_embedder.time_embedder.linear_1.weight"};
constexpr Named kFeedForward{"blocks.0.ffn.0.weight", "blocks.0.ffn.net.0.proj.weight"};
/// The same where linear layers are stored in integers (weights/int8_blocks.h).
constexpr Named kInt8FeedForward{"blocks.0.ffn.0.int8_weight", "blocks.0.ffn.net.0.proj.int8_weight"};
constexpr Named kHead{"head.head.weight", "proj_out.weight"};
constexpr Named kImage{"img_emb.proj.1.weight", "condition_embedder.image_embedder.ff.net.0.proj.weight"};
constexpr Named kImagePositions{"img_emb.emb_pos", "condition_embedder.image_embedder.pos_embed"};

/// Before a block's number.
constexpr const char* kBlocks = "blocks.";

using Shape = std::vector<std::int64_t>;

class Shapes {
  public:
    explicit Shapes(const TensorEntries& tensors) : m_tensors(tensors) {
        for (const std::string_view prefix : kPrefixes)
            if (tensors.contains(std::string(prefix).append(kPatchEmbedding.original))) m_prefix = prefix;
    }
    /// The shape of a tensor of so many dimensions; nullopt where there is none.
    [[nodiscard]] std::optional<Shape> of(const Named& name, std::size_t dimensions) const {
        for (const std::string_view each : {name.original, name.diffusers}) {
            const auto found = m_tensors.find(m_prefix + std::string(each));
            if (found == m_tensors.end()) continue;
            const Shape& shape = found->second.shape;
            const bool positive = std::ranges::all_of(shape, [](std::int64_t side) { return side > 0; });
            if (shape.size() == dimensions && positive) return shape;
        }
        return std::nullopt;
    }
    [[nodiscard]] std::int64_t blocks() const {
        return safetensors::blocksInRow(m_tensors, m_prefix + kBlocks);
    }
    [[nodiscard]] std::string blockBehind(std::int64_t blocks) const {
        return safetensors::tensorBehindBlocks(m_tensors, m_prefix + kBlocks, blocks);
    }
    /// Whether a block has its norm before cross-attention: one that lacks it is incomplete where others
    /// don't.
    [[nodiscard]] bool hasCrossNorm() const {
        for (std::int64_t block = 0; block < blocks(); ++block)
            for (const char* norm : {".norm3.weight", ".norm2.weight"})
                if (m_tensors.contains(m_prefix + kBlocks + std::to_string(block) + norm)) return true;
        return false;
    }
    /// A tensor that diffusers' converter named, below a prefix that stands before Wan's own names alone.
    [[nodiscard]] std::string misplacedName() const {
        const std::string name = m_prefix + std::string(kText.diffusers);
        return !m_prefix.empty() && m_tensors.contains(name) ? name : std::string();
    }
    /// The first tensor below one of these names; empty where there is none.
    [[nodiscard]] std::string firstBelow(std::initializer_list<const char*> names) const {
        for (const char* name : names) {
            const std::string begin = m_prefix + name;
            const auto next = m_tensors.lower_bound(begin);
            if (next != m_tensors.end() && next->first.starts_with(begin)) return next->first;
        }
        return {};
    }

  private:
    const TensorEntries& m_tensors;
    std::string m_prefix;
};

/// [channels, patch's channels, frames, rows, columns]. TurboDiffusion's networks store the convolution as
/// the linear layer that it is; the published patch is [1, 2, 2].
std::optional<Shape> patchShapeOf(const Shapes& shapes) {
    if (auto convolution = shapes.of(kPatchEmbedding, 5)) return convolution;
    constexpr std::int64_t kSide = 2;
    const auto linear = shapes.of(kPatchEmbedding, 2);
    if (!linear || (*linear)[1] % (kSide * kSide) != 0) return std::nullopt;
    return Shape{(*linear)[0], (*linear)[1] / (kSide * kSide), 1, kSide, kSide};
}

/// Channels of a head: the config's beside the file, else those of all published models.
Result<std::int64_t> headDimOf(const ConfigBeside& beside, const fs::path& file, std::int64_t channels) {
    std::int64_t dim = kPublishedHeadDim;
    const auto given = beside.config.find("attention_head_dim");
    if (given != beside.config.end() && !given->is_null()) dim = given->get<std::int64_t>();
    if (channels % dim == 0) return dim;
    return Error{ErrorCode::InvalidData, file.string() + ": the transformer has " + std::to_string(channels) +
                                             " channels, a multiple of " + std::to_string(dim) +
                                             " (a head's) was needed" +
                                             (beside.passedOver.empty() ? "" : "; " + beside.passedOver)};
}

bool isTrue(const json& config, const char* key) {
    const auto found = config.find(key);
    return found != config.end() && *found == true;
}

/// That a model of so many channels has fewer blocks than the published ones (wan/configs of Wan2.1 and
/// Wan2.2), as a file does that lost its last ones; empty where it hasn't.
std::string fewerBlocks(std::int64_t channels, std::int64_t blocks) {
    constexpr std::array<std::pair<int, int>, 3> kPublished{{{1536, 30}, {3072, 30}, {5120, 40}}};
    for (const auto& [width, depth] : kPublished)
        if (channels == width && blocks < depth)
            return "it has " + std::to_string(blocks) + " blocks; the published models of " +
                   std::to_string(channels) + " channels have " + std::to_string(depth);
    return {};
}

}  // namespace

Result<json> configOfWanModel(const json& own, const fs::path& file) {
    const auto wrong = [&](const std::string& key, const std::string& needed) {
        const auto value = own.find(key);
        return Error{ErrorCode::InvalidData, file.string() + ": " + key + " is " +
                                                 (value == own.end() ? "missing" : showJson(*value)) + ", " +
                                                 needed + " was needed"};
    };
    const auto whole = [&](const char* key) {
        const auto value = own.find(key);
        return value != own.end() && value->is_number_integer() ? value->get<std::int64_t>() : 0;
    };
    const std::int64_t heads = whole("num_heads"), dim = whole("dim");
    if (heads < 1 || heads > kMostHeads) return wrong("num_heads", "1 to " + std::to_string(kMostHeads));
    if (dim < 1 || dim % heads != 0) return wrong("dim", "a multiple of num_heads");
    json config = {{"num_attention_heads", heads}, {"attention_head_dim", dim / heads}};
    for (const auto& [theirs, diffusers] :
         {std::pair{"in_dim", "in_channels"}, std::pair{"out_dim", "out_channels"},
          std::pair{"ffn_dim", "ffn_dim"}, std::pair{"freq_dim", "freq_dim"},
          std::pair{"text_dim", "text_dim"}, std::pair{"num_layers", "num_layers"}, std::pair{"eps", "eps"}})
        if (const auto value = own.find(theirs); value != own.end()) config[diffusers] = *value;
    const std::string type = own.contains("model_type") && own["model_type"].is_string()
                                 ? own["model_type"].get<std::string>()
                                 : "t2v";
    if (type != "t2v" && type != "ti2v" && type != "i2v" && type != "flf2v")
        return wrong("model_type", "t2v, i2v, flf2v or ti2v");
    config["model_type"] = type;
    // What every published model has; WanModel itself would compute another.
    const auto isNot = [&](const char* key, const json& needed) {
        const auto value = own.find(key);
        return value != own.end() && *value != needed;
    };
    if (isNot("text_len", 512)) return wrong("text_len", "512");
    if (isNot("window_size", {-1, -1})) return wrong("window_size", "[-1, -1]");
    for (const char* key : {"qk_norm", "cross_attn_norm"})
        if (isNot(key, true)) return wrong(key, "true");
    return config;
}

bool hasWanTransformer(const TensorEntries& tensors) {
    return std::ranges::any_of(kPrefixes, [&](std::string_view prefix) {
        return tensors.contains(std::string(prefix).append(kPatchEmbedding.original));
    });
}

bool isDecidedBeside(const json& transformer) {
    const json eps = transformer.value("eps", json());
    return transformer.value("attention_head_dim", kPublishedHeadDim) != kPublishedHeadDim ||
           (!eps.is_null() && eps != kPublishedEps) || transformer.value("model_type", json()) == "ti2v";
}

bool isDistilled(const json& transformer) {
    return isTrue(transformer, kDistilledKey);
}

bool storesInt8(const json& transformer) {
    return isTrue(transformer, kInt8Key);
}

void addImageKeys(const TensorEntries& tensors, json& config) {
    const Shapes shapes(tensors);
    const auto image = shapes.of(kImage, 2);
    if (!image) return;
    config["image_dim"] = (*image)[1];
    config["added_kv_proj_dim"] = config.value("num_attention_heads", std::int64_t{0}) *
                                  config.value("attention_head_dim", std::int64_t{0});
    if (const auto positions = shapes.of(kImagePositions, 3)) config["pos_embed_seq_len"] = (*positions)[1];
}

Result<json> configOfTensors(const TensorEntries& tensors, const fs::path& file) {
    const Shapes shapes(tensors);
    const auto patch = patchShapeOf(shapes), head = shapes.of(kHead, 2);
    const auto text = shapes.of(kText, 2), time = shapes.of(kTime, 2);
    const auto plain = shapes.of(kFeedForward, 2);
    const auto wide = plain ? plain : shapes.of(kInt8FeedForward, 2);
    if (!patch || !head || !text || !time || !wide)
        return Error{
            ErrorCode::InvalidData,
            file.string() + ": it has no " +
                std::string(!patch  ? kPatchEmbedding.original
                            : !head ? kHead.original
                            : !text ? kText.original
                            : !time ? kTime.original
                                    : kFeedForward.original) +
                " of a Wan transformer, which --model FILE needs (the folder of several shards goes to "
                "--model)"};
    if (const std::string other =
            shapes.firstBelow({"vace_", "control_adapter.", "ref_conv.", "casual_audio_encoder.",
                               "face_adapter.", "motion_encoder.", "cond_encoder."});
        !other.empty())
        return Error{ErrorCode::Unsupported, file.string() + ": it has " + safetensors::quotedName(other) +
                                                 "; this version runs Wan's text-, image- and "
                                                 "text-or-image-to-video models"};
    if (const std::string misplaced = shapes.misplacedName(); !misplaced.empty())
        return Error{ErrorCode::Unsupported,
                     file.string() + ": it has " + safetensors::quotedName(misplaced) +
                         "; below that prefix the names of Wan's authors were needed, or "
                         "diffusers' without it"};
    if (const std::string behind = shapes.blockBehind(shapes.blocks()); !behind.empty())
        return safetensors::blockMissing(file.string(), behind, shapes.blocks());
    const std::int64_t channels = (*patch)[0], volume = (*patch)[2] * (*patch)[3] * (*patch)[4];
    json config = {{"_class_name", "WanTransformer3DModel"},
                   {"patch_size", {(*patch)[2], (*patch)[3], (*patch)[4]}},
                   {"in_channels", (*patch)[1]},
                   {"out_channels", std::max<std::int64_t>(1, (*head)[0] / volume)},
                   {"text_dim", (*text)[1]},
                   {"freq_dim", (*time)[1]},
                   {"ffn_dim", (*wide)[0]},
                   {"num_layers", shapes.blocks()},
                   {"cross_attn_norm", shapes.hasCrossNorm()}};
    if (const auto image = shapes.of(kImage, 2)) config["image_dim"] = (*image)[1];
    const ConfigBeside beside = configBeside(file, config, channels);
    const auto headDim = headDimOf(beside, file, channels);
    if (!headDim) return headDim.error();
    config["num_attention_heads"] = channels / *headDim;
    config["attention_head_dim"] = *headDim;
    for (const char* key : {"model_type", "eps"})
        if (const auto said = beside.config.find(key); said != beside.config.end()) config[key] = *said;
    if (!beside.passedOver.empty()) config[kPassedOverKey] = beside.passedOver;
    if (const std::string few = fewerBlocks(channels, shapes.blocks()); !few.empty())
        config[kFewBlocksKey] = file.string() + ": " + few;
    if (!shapes.of(kPatchEmbedding, 5)) config[kDistilledKey] = true;
    if (!plain) config[kInt8Key] = true;
    addImageKeys(tensors, config);
    return config;
}

}  // namespace reelgrid::families::wan
