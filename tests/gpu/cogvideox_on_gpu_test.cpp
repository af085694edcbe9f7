#include "core/attention/graphed_passes.h"
#include "core/attention/make_dispatcher.h"
#include "core/models/cogvideox/transformer.h"
#include "core/weights/model_config.h"
#include "core/weights/safetensors_folder.h"
#include "tests/gpu/gpu.h"

namespace reelgrid::models::cogvideox {
namespace {

const std::string kFixtures = REELGRID_SOURCE_DIR "/tests/fixtures/cogvideox/";

struct Input {
    std::string form;
    std::vector<std::int64_t> latents;
};

/// The recordings of diffusers that the CPU is held to, too.
const std::vector<Input> kInputs{{"2b", {1, 4, 3, 4, 6}},
                                 {"5b", {1, 4, 3, 4, 6}},
                                 {"5b-i2v", {1, 8, 3, 4, 6}},
                                 {"1.5", {1, 4, 4, 4, 6}},
                                 {"1.5-i2v", {1, 8, 4, 4, 6}}};

class CogVideoXOnGpu : public OnGpu {
  protected:
    struct Run {
        at::Tensor velocity, reference;
    };
    Run run(const Input& input, at::ScalarType dtype) {
        const std::string folder = kFixtures + input.form + "/transformer";
        const auto config = CogVideoXTransformerConfig::from(weights::ModelConfig::read(folder));
        weights::SafetensorsFolder source(folder), io(kFixtures + input.form + "/calls.safetensors");
        CogVideoXTransformer model(config, weights::WeightScope(source, dtype, gpu.device));
        const auto dispatcher = attention::makeDispatcher(attention::Policy("sdpa"), gpu).value();
        const at::Tensor text = model.prepareText(
            io.require("0.text", {1, config.maxTextSeqLength, config.textEmbedDim}).to(gpu.device));
        const at::Tensor latents = io.require("0.latents", input.latents).to(gpu.device);
        const StepEmbedding step = model.embedTimestep(io.require("0.timestep", {1}).item<double>());
        auto shape = input.latents;
        shape[1] = config.outChannels;
        return {model.forward(latents, step, text, *dispatcher), io.require("0.fp32", shape).clone()};
    }
};

TEST_F(CogVideoXOnGpu, EqualsTheReferenceInFp32) {
    for (const Input& input : kInputs) {
        const Run got = run(input, at::kFloat);
        EXPECT_LE(relativeError(got.velocity, got.reference), 1e-5) << input.form;
    }
}

TEST_F(CogVideoXOnGpu, StaysCloseInSixteenBits) {
    for (const Input& input : kInputs)
        for (const auto dtype : {at::kBFloat16, at::kHalf}) {
            const Run got = run(input, dtype);
            EXPECT_GE(cosine(got.velocity, got.reference), dtype == at::kHalf ? 0.99999 : 0.999)
                << input.form << " " << at::toString(dtype);
            EXPECT_GT(relativeError(got.velocity, got.reference), 0) << "fp32 was used";
        }
}

TEST_F(CogVideoXOnGpu, AGraphGivesTheBitsOfThePassThatItRecorded) {
    const std::string folder = kFixtures + "5b/transformer";
    const auto config = CogVideoXTransformerConfig::from(weights::ModelConfig::read(folder));
    weights::SafetensorsFolder source(folder);
    CogVideoXTransformer model(config, weights::WeightScope(source, at::kBFloat16, gpu.device));
    const auto onGpu = at::TensorOptions().device(gpu.device);
    const at::Tensor prompt = model.prepareText(at::randn({1, 20, config.textEmbedDim}, onGpu)),
                     negative = model.prepareText(at::randn({1, 20, config.textEmbedDim}, onGpu));
    const auto plain = attention::makeDispatcher(attention::Policy("sdpa"), gpu).value();
    const auto counted = attention::makeDispatcher(attention::Policy("sdpa"), gpu).value();
    attention::GraphedPasses graphed(gpu);
    for (int step = 0; step < 4; ++step) {
        const at::Tensor latents = at::randn({1, config.inChannels, 3, 4, 6}, onGpu);
        const StepEmbedding embedding = model.embedTimestep(900 - 200 * step);
        for (const at::Tensor* text : {&prompt, &negative}) {
            plain->beginPass(step, attention::GuidanceBranch::Conditional);
            counted->beginPass(step, attention::GuidanceBranch::Conditional);
            const at::Tensor expected = model.forward(latents, embedding, *text, *plain);
            at::Tensor input = latents;
            StepEmbedding inputs = embedding;
            std::vector<at::Tensor*> read = inputs.tensors();
            read.push_back(&input);
            const at::Tensor got = graphed.run(
                text, read, [&] { return model.forward(input, inputs, *text, *counted); }, *counted);
            EXPECT_TRUE(at::equal(got, expected)) << step;
        }
    }
    EXPECT_EQ(counted->records(), plain->records());
}

}  // namespace
}  // namespace reelgrid::models::cogvideox
