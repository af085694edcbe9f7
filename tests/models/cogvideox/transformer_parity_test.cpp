#include "core/models/cogvideox/transformer.h"

#include <gmock/gmock.h>

#include "core/base/result.h"
#include "core/weights/model_config.h"
#include "core/weights/safetensors_folder.h"
#include "tests/models/wan/sdpa_dispatcher.h"

namespace reelgrid::models::cogvideox {
namespace {

const std::string kFixtures = REELGRID_SOURCE_DIR "/tests/fixtures/cogvideox/";

struct Input {
    std::string form;
    int index;
    std::vector<std::int64_t> latents;
};

void PrintTo(const Input& input, std::ostream* out) {
    *out << input.form << " input " << input.index;
}

double largest(const at::Tensor& x) {
    return x.abs().max().item<double>();
}

class CogVideoXTransformerParity : public testing::TestWithParam<Input> {
  protected:
    at::Tensor read(const std::string& name, at::IntArrayRef shape) {
        return m_io.require(std::to_string(GetParam().index) + "." + name, shape);
    }
    at::Tensor run(at::ScalarType dtype) {
        weights::SafetensorsFolder source(m_folder);
        CogVideoXTransformer model(m_config, weights::WeightScope(source, dtype));
        const at::Tensor text =
            model.prepareText(read("text", {1, m_config.maxTextSeqLength, m_config.textEmbedDim}));
        const StepEmbedding step = model.embedTimestep(read("timestep", {1}).item<double>());
        return model.forward(read("latents", GetParam().latents), step, text, m_dispatcher);
    }
    at::Tensor expected(const std::string& dtype) {
        auto shape = GetParam().latents;
        shape[1] = m_config.outChannels;
        return read(dtype, shape);
    }

    std::string m_folder = kFixtures + GetParam().form + "/transformer";
    CogVideoXTransformerConfig m_config =
        CogVideoXTransformerConfig::from(weights::ModelConfig::read(m_folder));
    weights::SafetensorsFolder m_io{kFixtures + GetParam().form + "/calls.safetensors"};
    wan::SdpaDispatcher m_dispatcher;
};

TEST_P(CogVideoXTransformerParity, EqualsTheReferenceInFp32) {
    const at::Tensor reference = expected("fp32"), velocity = run(at::kFloat);
    ASSERT_EQ(velocity.sizes(), reference.sizes());
    const double error = largest(velocity - reference) / largest(reference);
    RecordProperty("relative_error", std::to_string(error));
    EXPECT_LE(error, 1e-5);
}

TEST_P(CogVideoXTransformerParity, StaysWithinTheReferencesOwnRoundingInBf16) {
    const at::Tensor exact = expected("fp32");
    const double referenceError = largest(expected("bf16") - exact) / largest(exact);
    const double error = largest(run(at::kBFloat16) - exact) / largest(exact);
    EXPECT_LE(error, 1.5 * referenceError + 4e-3);
    EXPECT_GT(error, 0) << "bf16 was not used";
}

TEST_P(CogVideoXTransformerParity, StaysCloseInFp16) {
    const at::Tensor exact = expected("fp32");
    const double error = largest(run(at::kHalf) - exact) / largest(exact);
    EXPECT_LE(error, 2e-3);
    EXPECT_GT(error, 0) << "fp16 was not used";
}

INSTANTIATE_TEST_SUITE_P(Reference, CogVideoXTransformerParity,
                         testing::Values(Input{"2b", 0, {1, 4, 3, 4, 6}}, Input{"2b", 1, {1, 4, 1, 4, 4}},
                                         Input{"2b", 2, {1, 4, 2, 6, 10}}, Input{"5b", 0, {1, 4, 3, 4, 6}},
                                         Input{"5b", 1, {1, 4, 2, 8, 4}}, Input{"5b", 2, {1, 4, 1, 4, 12}},
                                         Input{"5b-i2v", 0, {1, 8, 3, 4, 6}},
                                         Input{"5b-i2v", 1, {1, 8, 2, 4, 6}},
                                         Input{"1.5", 0, {1, 4, 4, 4, 6}}, Input{"1.5", 1, {1, 4, 2, 6, 4}},
                                         Input{"1.5-i2v", 0, {1, 8, 4, 4, 6}}));

TEST(CogVideoXPositions, OfSampleFramesThatNoClipHasAreSinesAsInTheReference) {
    const std::string form = kFixtures + "5b-i2v", folder = form + "/transformer";
    weights::SafetensorsFolder source(folder), calls(form + "/calls.safetensors"),
        reference(form + "/ten_sample_frames.safetensors");
    auto config = CogVideoXTransformerConfig::from(weights::ModelConfig::read(folder));
    config.sampleFrames = 10;
    CogVideoXTransformer model(config, weights::WeightScope(source, at::kFloat));
    const at::Tensor text = model.prepareText(calls.require("0.text", {1, 20, 32}));
    const StepEmbedding step = model.embedTimestep(calls.require("0.timestep", {1}).item<double>());
    wan::SdpaDispatcher dispatcher;
    const at::Tensor velocity =
        model.forward(calls.require("0.latents", {1, 8, 3, 4, 6}), step, text, dispatcher);
    const at::Tensor expected = reference.require("fp32", {1, 4, 3, 4, 6});
    EXPECT_LE(largest(velocity - expected) / largest(expected), 1e-5);
}

class Tiny5b : public testing::Test {
  protected:
    void load(const std::string& form) {
        weights::SafetensorsFolder source(kFixtures + form + "/transformer");
        m_model.emplace(
            CogVideoXTransformerConfig::from(weights::ModelConfig::read(kFixtures + form + "/transformer")),
            weights::WeightScope(source, at::kFloat));
    }
    at::Tensor forward(const at::Tensor& latents) {
        const at::Tensor text = m_model->prepareText(at::zeros({1, 20, 32}));
        return m_model->forward(latents, m_model->embedTimestep(1), text, m_dispatcher);
    }
    std::optional<CogVideoXTransformer> m_model;
    wan::SdpaDispatcher m_dispatcher;
};

TEST_F(Tiny5b, EveryLayerAsksForJointAttention) {
    load("5b");
    (void)forward(at::zeros({1, 4, 1, 4, 4}));
    ASSERT_EQ(m_dispatcher.sites.size(), 2u);
    for (int layer = 0; layer < 2; ++layer) {
        EXPECT_EQ(m_dispatcher.sites[std::size_t(layer)].kind, attention::ModuleKind::Joint);
        EXPECT_EQ(m_dispatcher.sites[std::size_t(layer)].layer, layer);
    }
}

TEST_F(Tiny5b, RejectsLatentsThatDoNotFitNamingTheirSize) {
    load("5b-i2v");
    for (const std::vector<std::int64_t>& shape :
         {std::vector<std::int64_t>{1, 8, 1, 3, 4}, {1, 4, 1, 4, 6}, {1, 8, 0, 4, 6}, {8, 1, 4, 6}}) {
        try {
            (void)forward(at::zeros(shape));
            ADD_FAILURE() << at::IntArrayRef(shape) << " was accepted";
        } catch (const Failure& failure) {
            EXPECT_THAT(failure.error().message, testing::HasSubstr(c10::str(at::IntArrayRef(shape))));
        }
    }
    try {
        (void)forward(at::zeros({1, 8, 3, 4, 8}));
        ADD_FAILURE() << "the learned positions are of another size";
    } catch (const Failure& failure) {
        EXPECT_THAT(failure.error().message, testing::HasSubstr("2x4 tokens"));
    }
}

}  // namespace
}  // namespace reelgrid::models::cogvideox
