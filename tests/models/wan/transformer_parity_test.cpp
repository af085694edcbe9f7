#include <gmock/gmock.h>

#include "core/base/result.h"
#include "core/models/wan/transformer.h"
#include "core/weights/model_config.h"
#include "core/weights/safetensors_folder.h"
#include "tests/models/wan/sdpa_dispatcher.h"

namespace reelgrid::models::wan {
namespace {

const std::string kFixtures = REELGRID_SOURCE_DIR "/tests/fixtures/wan/";

struct Input {
    std::string folder;
    int index;
    std::vector<std::int64_t> latents;
    std::int64_t textPositions;
};

void PrintTo(const Input& input, std::ostream* out) {
    *out << input.folder << " input " << input.index;
}

double largest(const at::Tensor& x) {
    return x.abs().max().item<double>();
}

class WanTransformerParity : public testing::TestWithParam<Input> {
  protected:
    WanTransformer load(at::ScalarType dtype) {
        weights::SafetensorsFolder source(kFixtures + GetParam().folder);
        return {m_config, weights::WeightScope(source, dtype)};
    }
    at::Tensor read(const std::string& name, at::IntArrayRef shape) {
        return m_io.require(std::to_string(GetParam().index) + "." + name, shape);
    }
    at::Tensor run(WanTransformer& model) {
        const PreparedText text =
            model.prepareText(read("text", {1, GetParam().textPositions, m_config.textDim}));
        const StepEmbedding step = model.embedTimestep(read("timestep", {1}).item<double>());
        return model.forward(read("latents", GetParam().latents), step, text, m_dispatcher);
    }
    at::Tensor expected(const std::string& dtype) {
        auto shape = GetParam().latents;
        shape[1] = m_config.outChannels;
        return read(dtype, shape);
    }

    WanTransformerConfig m_config =
        WanTransformerConfig::from(weights::ModelConfig::read(kFixtures + GetParam().folder));
    weights::SafetensorsFolder m_io{kFixtures + GetParam().folder + "/io"};
    SdpaDispatcher m_dispatcher;
};

TEST_P(WanTransformerParity, EqualsTheReferenceInFp32) {
    WanTransformer model = load(at::kFloat);
    const at::Tensor reference = expected("fp32");
    const at::Tensor flow = run(model);
    ASSERT_EQ(flow.sizes(), reference.sizes());
    const double error = largest(flow - reference) / largest(reference);
    RecordProperty("relative_error", std::to_string(error));
    EXPECT_LE(error, 1e-5);
}

TEST_P(WanTransformerParity, StaysWithinTheReferencesOwnRoundingInBf16) {
    WanTransformer model = load(at::kBFloat16);
    const at::Tensor exact = expected("fp32");
    const double referenceError = largest(expected("bf16") - exact) / largest(exact);
    const double error = largest(run(model) - exact) / largest(exact);
    RecordProperty("relative_error", std::to_string(error));
    EXPECT_LE(error, 1.5 * referenceError + 4e-3);
    EXPECT_GT(error, 0) << "bf16 was not used";
}

TEST_P(WanTransformerParity, StaysCloseInFp16WhichRunsOnLibtorchsOperationsAlone) {
    WanTransformer model = load(at::kHalf);
    const at::Tensor exact = expected("fp32");
    const double error = largest(run(model) - exact) / largest(exact);
    EXPECT_LE(error, 1.5e-3);
    EXPECT_GT(error, 0) << "fp16 was not used";
}

TEST_P(WanTransformerParity, TextAndStepAreReusedExactly) {
    WanTransformer model = load(at::kFloat);
    EXPECT_TRUE(at::equal(run(model), run(model)));
}

INSTANTIATE_TEST_SUITE_P(Reference, WanTransformerParity,
                         testing::Values(Input{"two-layers", 0, {1, 4, 3, 6, 8}, 7},
                                         Input{"two-layers", 1, {1, 4, 1, 2, 4}, 12},
                                         Input{"two-layers", 2, {1, 4, 2, 10, 6}, 512},
                                         Input{"head-128", 0, {1, 16, 3, 4, 6}, 9},
                                         Input{"head-128", 1, {1, 16, 5, 2, 2}, 33},
                                         Input{"no-cross-norm", 0, {1, 4, 4, 4, 3}, 5}));

class TwoLayers : public testing::Test {
  protected:
    weights::SafetensorsFolder m_source{kFixtures + "two-layers"};
    WanTransformer m_model{WanTransformerConfig::from(weights::ModelConfig::read(kFixtures + "two-layers")),
                           weights::WeightScope(m_source, at::kFloat)};
    SdpaDispatcher m_dispatcher;
};

TEST_F(TwoLayers, EveryLayerAsksForSelfThenCrossAttention) {
    const PreparedText text = m_model.prepareText(at::zeros({1, 5, 32}));
    (void)m_model.forward(at::zeros({1, 4, 1, 4, 4}), m_model.embedTimestep(1), text, m_dispatcher);
    std::vector<std::pair<attention::ModuleKind, int>> calls;
    for (const auto& site : m_dispatcher.sites) calls.emplace_back(site.kind, site.layer);
    using enum protocol::ModuleKind;
    EXPECT_THAT(calls, testing::ElementsAre(testing::Pair(Self, 0), testing::Pair(Cross, 0),
                                            testing::Pair(Self, 1), testing::Pair(Cross, 1)));
}

TEST_F(TwoLayers, ABatchEqualsItsParts) {
    const at::Tensor latents = at::randn({2, 4, 1, 4, 6}), texts = at::randn({2, 5, 32});
    const StepEmbedding step = m_model.embedTimestep(500);
    const at::Tensor both = m_model.forward(latents, step, m_model.prepareText(texts), m_dispatcher);
    for (std::int64_t i = 0; i < 2; ++i) {
        const PreparedText text = m_model.prepareText(texts.narrow(0, i, 1));
        const at::Tensor one = m_model.forward(latents.narrow(0, i, 1), step, text, m_dispatcher);
        EXPECT_LE(largest(both.narrow(0, i, 1) - one), 1e-5 * largest(one));
    }
}

TEST_F(TwoLayers, RejectsLatentsThatDoNotFitThePatchNamingTheirSize) {
    const PreparedText text = m_model.prepareText(at::zeros({1, 5, 32}));
    for (const std::vector<std::int64_t>& shape :
         {std::vector<std::int64_t>{1, 4, 1, 3, 4}, {1, 3, 1, 4, 4}, {1, 4, 0, 4, 4}, {4, 1, 4, 4}}) {
        try {
            (void)m_model.forward(at::zeros(shape), m_model.embedTimestep(1), text, m_dispatcher);
            ADD_FAILURE() << at::IntArrayRef(shape) << " was accepted";
        } catch (const Failure& failure) {
            EXPECT_THAT(failure.error().message, testing::HasSubstr(c10::str(at::IntArrayRef(shape))));
        }
    }
}

}  // namespace
}  // namespace reelgrid::models::wan
