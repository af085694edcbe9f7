#include "core/perception/dino_encoder.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/result.h"
#include "core/execution/linear_product.h"
#include "core/weights/numbered_layers.h"

namespace reelgrid::perception {
namespace {

constexpr std::int64_t kHeadChannels = 64, kMostChannels = 8192, kMostGrid = 256, kMostPatches = 1 << 13;

std::vector<std::int64_t> shapeIn(const weights::WeightFile& file, const std::string& name,
                                  std::size_t sides) {
    const auto shape = file.shapeOf(name);
    if (!shape || shape->size() != sides)
        throw Failure(ErrorCode::InvalidData, file.weights->whereIs(name) +
                                                  (shape ? " has " : " is missing, ") +
                                                  (shape ? std::to_string(shape->size()) + " sides, " : "") +
                                                  std::to_string(sides) + " sides were needed");
    return *shape;
}

}  // namespace

DinoEncoder::DinoEncoder(const weights::WeightFile& file, at::Device device) {
    const bool isAuthors = file.weights->has("blocks.0.attn.qkv.weight") || file.weights->has("pos_embed");
    const std::string positions = isAuthors ? "pos_embed" : "embeddings.position_embeddings";
    const std::string patches = isAuthors ? "patch_embed.proj" : "embeddings.patch_embeddings.projection";
    const auto positionShape = shapeIn(file, positions, 3);
    const auto patchShape = shapeIn(file, patches + ".weight", 4);
    m_channels = patchShape[0];
    m_patch = patchShape[2];
    m_grid = std::llround(std::sqrt(double(std::max<std::int64_t>(positionShape[1] - 1, 0))));
    m_heads = m_channels / kHeadChannels;
    if (m_channels % kHeadChannels != 0 || m_channels < kHeadChannels || m_channels > kMostChannels ||
        m_grid < 1 || m_grid > kMostGrid || m_grid * m_grid + 1 != positionShape[1] || m_patch < 1)
        throw Failure(ErrorCode::InvalidData,
                      file.weights->whereIs(positions) + ": no such vision transformer: " +
                          std::to_string(positionShape[1]) + " positions of " + std::to_string(m_channels) +
                          " channels, a square and one of multiples of 64 were needed");
    const weights::WeightScope all(*file.weights, at::kFloat, device);
    const auto c = m_channels, wide = 4 * c;
    const auto affine = [](const weights::WeightScope& at, std::vector<std::int64_t> shape) {
        return Affine{at("weight", shape), at("bias", {shape[0]})};
    };
    m_eps = isAuthors ? 1e-6 : 1e-12;
    m_position_1NC = all(positions, {1, m_grid * m_grid + 1, c});
    m_whole_11C = all(isAuthors ? "cls_token" : "embeddings.cls_token", {1, 1, c});
    m_patches = {all(patches + ".weight", {c, 3, m_patch, m_patch}), all(patches + ".bias", {c})};
    m_norm = affine(all / (isAuthors ? "norm" : "layernorm"), {c});
    const weights::WeightScope blocks = isAuthors ? all / "blocks" : all / "encoder" / "layer";
    const std::int64_t layers = weights::layersWithAny(
        {"norm1.weight", "norm2.weight", "attn.qkv.weight", "attn.proj.weight", "mlp.fc1.weight",
         "mlp.fc2.weight", "layernorm_before.weight", "layernorm_after.weight",
         "attention.attention.query.weight", "attention.output.dense.weight", "intermediate.dense.weight",
         "output.dense.weight"},
        [&](std::int64_t layer, const std::string& name) { return (blocks / layer).has(name); });
    // ViT-S and ViT-B of DINO.
    weights::requireAllLayers(file.weights->whereIs(positions), {c, layers}, {{384, 12}, {768, 12}});
    for (std::int64_t i = 0; i < std::max<std::int64_t>(layers, 1); ++i) {
        const weights::WeightScope block = blocks / i;
        if (isAuthors) {
            m_layers.push_back({affine(block / "norm1", {c}), affine(block / "attn" / "qkv", {3 * c, c}),
                                affine(block / "attn" / "proj", {c, c}), affine(block / "norm2", {c}),
                                affine(block / "mlp" / "fc1", {wide, c}),
                                affine(block / "mlp" / "fc2", {c, wide})});
            continue;
        }
        const weights::WeightScope own = block / "attention" / "attention";
        const Affine q = affine(own / "query", {c, c}), k = affine(own / "key", {c, c}),
                     v = affine(own / "value", {c, c});
        m_layers.push_back({affine(block / "layernorm_before", {c}),
                            {at::cat({q.weight, k.weight, v.weight}), at::cat({q.bias, k.bias, v.bias})},
                            affine(block / "attention" / "output" / "dense", {c, c}),
                            affine(block / "layernorm_after", {c}),
                            affine(block / "intermediate" / "dense", {wide, c}),
                            affine(block / "output" / "dense", {c, wide})});
    }
}

at::Tensor DinoEncoder::normed(const at::Tensor& x, const Affine& norm) const {
    return at::layer_norm(x, {m_channels}, norm.weight, norm.bias, m_eps);
}

at::Tensor DinoEncoder::positions(std::int64_t rows, std::int64_t columns) const {
    if (rows == m_grid && columns == m_grid) return m_position_1NC;
    // The authors add a tenth so that rounding down finds the size; the samples lie where that puts them.
    const double tall = (double(rows) + 0.1) / double(m_grid),
                 wide = (double(columns) + 0.1) / double(m_grid);
    const at::Tensor grid =
        m_position_1NC.narrow(1, 1, m_grid * m_grid).unflatten(1, {m_grid, m_grid}).permute({0, 3, 1, 2});
    const at::Tensor placed = at::upsample_bicubic2d(grid, {rows, columns}, false, tall, wide);
    return at::cat({m_position_1NC.narrow(1, 0, 1), placed.flatten(2).transpose(1, 2)}, 1);
}

at::Tensor DinoEncoder::forward(const at::Tensor& pixels_P3YX) const {
    if (pixels_P3YX.size(2) < m_patch || pixels_P3YX.size(3) < m_patch)
        throw Failure(ErrorCode::BadUsage, "subject_consistency: pictures of at least one patch of " +
                                               std::to_string(m_patch) + " pixels are needed");
    if (pixels_P3YX.size(2) / m_patch * (pixels_P3YX.size(3) / m_patch) > kMostPatches)
        throw Failure(ErrorCode::BadUsage, "subject_consistency: pictures this long have more than " +
                                               std::to_string(kMostPatches) + " patches");
    const at::Tensor patches = at::conv2d(pixels_P3YX, m_patches.weight, m_patches.bias, m_patch);
    const auto pictures = patches.size(0), rows = patches.size(2), columns = patches.size(3);
    at::Tensor x_PNC =
        at::cat({m_whole_11C.expand({pictures, 1, m_channels}), patches.flatten(2).transpose(1, 2)}, 1) +
        positions(rows, columns);
    for (const Layer& layer : m_layers) {
        const at::Tensor qkv = execution::linear(normed(x_PNC, layer.norm1), layer.qkv.weight, layer.qkv.bias)
                                   .unflatten(-1, {3, m_heads, kHeadChannels})
                                   .permute({2, 0, 3, 1, 4});
        const at::Tensor mixed =
            at::scaled_dot_product_attention(qkv[0], qkv[1], qkv[2]).transpose(1, 2).flatten(2);
        x_PNC = x_PNC + execution::linear(mixed, layer.out.weight, layer.out.bias);
        const at::Tensor wide =
            at::gelu(execution::linear(normed(x_PNC, layer.norm2), layer.up.weight, layer.up.bias));
        x_PNC = x_PNC + execution::linear(wide, layer.down.weight, layer.down.bias);
    }
    return normed(x_PNC.select(1, 0), m_norm);
}

}  // namespace reelgrid::perception
