#include "core/models/wan/blocks.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "core/models/wan/transformer.h"
#include "core/weights/model_config.h"
#include "core/weights/safetensors_folder.h"
#include "tests/models/wan/sdpa_dispatcher.h"
#include "tests/models/wan/variant_model.h"

namespace reelgrid::models::wan {
namespace {

const std::filesystem::path kTwoLayers =
    std::filesystem::path(REELGRID_SOURCE_DIR) / "tests/fixtures/wan/two-layers";

/// Two passes of a tiny transformer that was loaded so.
at::Tensor flowOf(const TransformerOptions& options, at::ScalarType dtype = at::kFloat,
                  const std::filesystem::path& folder = kTwoLayers) {
    const c10::InferenceMode inference;
    const auto config = WanTransformerConfig::from(weights::ModelConfig::read(folder));
    weights::SafetensorsFolder source(folder);
    WanTransformer model(config, weights::WeightScope(source, dtype), options);
    at::manual_seed(11);
    const at::Tensor latents = at::randn({1, config.inChannels, 3, 6, 8});
    at::Tensor image;
    if (config.imageDim > 0) image = at::randn({1, 5, config.imageDim});
    const PreparedText text = model.prepareText(at::randn({1, 9, config.textDim}), image);
    SdpaDispatcher dispatcher;
    const at::Tensor first = model.forward(latents, model.embedTimestep(900), text, dispatcher);
    latents.narrow(1, 0, first.size(1)).add_(first);
    return model.forward(latents, model.embedTimestep(300), text, dispatcher);
}

double relativeError(const at::Tensor& value, const at::Tensor& exact) {
    return ((value - exact).norm() / exact.norm()).item<double>();
}

TEST(Blocks, GiveTheSameBitsWhereverTheirWeightsLie) {
    for (const auto& folder : {kTwoLayers, kVariants / "i2v" / "transformer"})
        for (const auto dtype : {at::kFloat, at::kBFloat16})
            for (const auto products : {LinearProducts::AsStored, LinearProducts::Fp8}) {
                TransformerOptions options{.blocks = {.products = products}};
                const at::Tensor held = flowOf(options, dtype, folder);
                for (const auto residence : {BlockResidence::Windowed, BlockResidence::Streamed}) {
                    options.blocks.residence = residence;
                    EXPECT_TRUE(at::equal(flowOf(options, dtype, folder), held)) << folder;
                }
            }
}

TEST(Blocks, InAWindowTakeTwoBlocksOfTheDevice) {
    const auto config = WanTransformerConfig::from(weights::ModelConfig::read(kTwoLayers));
    weights::SafetensorsFolder source(kTwoLayers);
    const auto bytes = [&](BlockResidence residence) {
        const auto blocks =
            loadBlocks(config, weights::WeightScope(source, at::kFloat) / "blocks", {.residence = residence});
        EXPECT_EQ(blocks->count(), config.numLayers);
        (void)blocks->use(0);
        return blocks->deviceBytes();
    };
    EXPECT_EQ(bytes(BlockResidence::Windowed) * std::uint64_t(config.numLayers),
              bytes(BlockResidence::Held) * 2);
    EXPECT_EQ(bytes(BlockResidence::Streamed) * std::uint64_t(config.numLayers), bytes(BlockResidence::Held));
}

/// e4m3 by its definition: 4 bits of exponent (bias 7), 3 of mantissa, up to 448, ties to even.
double toE4m3(double x) {
    if (x == 0) return 0;
    const double exponent = std::max(-6.0, std::floor(std::log2(std::abs(x))));
    const double step = std::exp2(exponent - 3);
    return std::clamp(std::nearbyint(x / step) * step, -448.0, 448.0);
}

at::Tensor roundedRows(const at::Tensor& x_NC) {
    const at::Tensor x = x_NC.to(at::kDouble);
    at::Tensor rounded = at::empty_like(x);
    for (std::int64_t row = 0; row < x.size(0); ++row) {
        const double most = x[row].abs().max().item<double>(), scale = most > 0 ? most / 448 : 1;
        for (std::int64_t column = 0; column < x.size(1); ++column)
            rounded[row][column] = toE4m3(x[row][column].item<double>() / scale) * scale;
    }
    return rounded;
}

TEST(LinearInFp8, IsTheProductOfRoundedRows) {
    at::manual_seed(3);
    at::Tensor x = at::randn({1, 12, 40}) * at::linspace(0.01, 30, 12).view({1, 12, 1});
    x[0][4].zero_();
    x[0][5][7] = 5000;  // an outlier
    Linear linear{at::randn({24, 40}), at::randn({24})};
    linear.weight[2].zero_();
    const at::Tensor exact =
        at::linear(roundedRows(x[0]), roundedRows(linear.weight), linear.bias.to(at::kDouble));
    const at::Tensor unrounded = linear(x)[0].to(at::kDouble);
    linear.roundToFp8();
    linear.roundToFp8();  // once is all
    const at::Tensor got = linear(x)[0].to(at::kDouble);
    EXPECT_LE(relativeError(got, exact), 2e-6);
    EXPECT_GT(relativeError(unrounded, exact), 0.005);
    EXPECT_LT(relativeError(unrounded, exact), 0.06);

    Linear sixteen{linear.weight.to(at::kBFloat16), linear.bias.to(at::kBFloat16), linear.scale_O};
    EXPECT_LE(relativeError(sixteen(x.to(at::kBFloat16))[0].to(at::kDouble), exact), 2e-2);

    at::Tensor activated = at::gelu(x, "tanh");
    EXPECT_LE(relativeError(linear.ofGelu(x), linear(activated)), 1e-2);
}

TEST(LinearInFp8, ChangesATransformerByItsRoundingAlone) {
    const at::Tensor exact = flowOf({});
    const double fp8 = relativeError(flowOf({.blocks = {.products = LinearProducts::Fp8}}), exact);
    EXPECT_GT(fp8, 1e-4);
    EXPECT_LT(fp8, 0.1);
}

TEST(TimeEmbeddingInBf16, ChangesATransformerByItsRoundingAlone) {
    const at::Tensor exact = flowOf({});
    const double bf16 = relativeError(flowOf({.timeProducts = TimeProducts::Bf16}), exact);
    EXPECT_GT(bf16, 1e-6);
    EXPECT_LT(bf16, 0.02);
}

}  // namespace
}  // namespace reelgrid::models::wan
