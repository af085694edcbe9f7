#include <filesystem>
#include <utility>

#include "core/attention/graphed_passes.h"
#include "core/attention/make_dispatcher.h"
#include "core/capture/capture_observer.h"
#include "core/capture/captured_call.h"
#include "core/models/wan/transformer.h"
#include "core/weights/model_config.h"
#include "core/weights/safetensors_folder.h"
#include "tests/gpu/gpu.h"

namespace reelgrid::models::wan {
namespace {

const std::string kFixtures = REELGRID_SOURCE_DIR "/tests/fixtures/wan/";

struct Input {
    std::string folder;
    int index;
    std::vector<std::int64_t> latents;
    std::int64_t textPositions;
};

/// The recordings of diffusers that the CPU is held to, too.
const std::vector<Input> kInputs{{"two-layers", 0, {1, 4, 3, 6, 8}, 7},
                                 {"two-layers", 2, {1, 4, 2, 10, 6}, 512},
                                 {"head-128", 0, {1, 16, 3, 4, 6}, 9},
                                 {"head-128", 1, {1, 16, 5, 2, 2}, 33},
                                 {"no-cross-norm", 0, {1, 4, 4, 4, 3}, 5}};

class TransformerOnGpu : public OnGpu {
  protected:
    struct Run {
        at::Tensor flow, reference;
    };
    Run run(const Input& input, at::ScalarType dtype, const std::string& attention = "sdpa", int times = 1,
            const TransformerOptions& options = {}) {
        const auto config = WanTransformerConfig::from(weights::ModelConfig::read(kFixtures + input.folder));
        weights::SafetensorsFolder source(kFixtures + input.folder), io(kFixtures + input.folder + "/io");
        const auto read = [&](const std::string& name, at::IntArrayRef shape) {
            return io.require(std::to_string(input.index) + "." + name, shape);
        };
        WanTransformer model(config, weights::WeightScope(source, dtype, gpu.device), options);
        const auto dispatcher = attention::makeDispatcher(attention::Policy(attention), gpu).value();
        const PreparedText text =
            model.prepareText(read("text", {1, input.textPositions, config.textDim}).to(gpu.device));
        const double timestep = read("timestep", {1}).item<double>();
        const at::Tensor latents = read("latents", input.latents).to(gpu.device);
        auto shape = input.latents;
        shape[1] = config.outChannels;
        Run result{{}, read("fp32", shape).clone()};
        for (int i = 0; i < times; ++i) {
            const at::Tensor flow = model.forward(latents, model.embedTimestep(timestep), text, *dispatcher);
            const bool same = !result.flow.defined() || at::equal(flow, result.flow);
            EXPECT_TRUE(same) << "run " << i;
            result.flow = flow;
        }
        return result;
    }
};

TEST_F(TransformerOnGpu, EqualsTheReferenceInFp32) {
    for (const Input& input : kInputs) {
        const Run got = run(input, at::kFloat);
        EXPECT_LE(relativeError(got.flow, got.reference), 1e-5) << input.folder << " " << input.index;
    }
}

TEST_F(TransformerOnGpu, StaysCloseInSixteenBits) {
    for (const Input& input : kInputs)
        for (const auto dtype : {at::kBFloat16, at::kHalf}) {
            const Run got = run(input, dtype);
            EXPECT_GE(cosine(got.flow, got.reference), dtype == at::kHalf ? 0.99999 : 0.999)
                << input.folder << " " << input.index << " " << at::toString(dtype);
            EXPECT_GT(relativeError(got.flow, got.reference), 0) << "fp32 was used";
        }
}

TEST_F(TransformerOnGpu, GivesTheSameBitsEachTime) {
    for (const char* attention : {"sdpa", "cudnn", "flash", "fav2", "fav3"})
        (void)run(kInputs[2], at::kBFloat16, attention, 50);
}

TEST_F(TransformerOnGpu, AWindowOfBlocksGivesTheSameBits) {
    for (const Input& input : kInputs)
        for (const auto products : {LinearProducts::AsStored, LinearProducts::Fp8, LinearProducts::Int8}) {
            const TransformerOptions held{.blocks = {.products = products}},
                window{.blocks = {.residence = BlockResidence::Windowed, .products = products}};
            const at::Tensor expected = run(input, at::kBFloat16, "sdpa", 1, held).flow;
            EXPECT_TRUE(at::equal(run(input, at::kBFloat16, "sdpa", 20, window).flow, expected))
                << input.folder << " " << input.index;
        }
}

class RoundedProductsOnGpu : public TransformerOnGpu, public testing::WithParamInterface<LinearProducts> {};
INSTANTIATE_TEST_SUITE_P(Gpu, RoundedProductsOnGpu,
                         testing::Values(LinearProducts::Fp8, LinearProducts::Int8),
                         [](const auto& each) { return each.param == LinearProducts::Fp8 ? "fp8" : "int8"; });

TEST_P(RoundedProductsOnGpu, AreThoseOfTheCpusRoundedValues) {
    for (const Input& input : {kInputs[2], kInputs[3]}) {
        const TransformerOptions rounds{.blocks = {.products = GetParam()}};
        const Run got = run(input, at::kBFloat16, "sdpa", 1, rounds);
        const auto onGpu = std::exchange(gpu, execution::Execution{});
        const Run rounded = run(input, at::kFloat, "sdpa", 1, rounds);
        gpu = onGpu;
        const double toRounded = relativeError(got.flow.cpu(), rounded.flow);
        const double toExact = relativeError(rounded.flow, rounded.reference);
        // Activations in bf16 become other bytes than those in fp32, here and there.
        EXPECT_LE(toRounded, 0.05) << input.folder << " " << input.index;
        EXPECT_GT(toExact, 1e-3) << "nothing was rounded";
        EXPECT_LT(toExact, 0.1);
    }
}

TEST_F(TransformerOnGpu, AGraphGivesTheBitsOfThePassThatItRecorded) {
    const std::string folder = kFixtures + "two-layers";
    const auto config = WanTransformerConfig::from(weights::ModelConfig::read(folder));
    weights::SafetensorsFolder source(folder);
    WanTransformer model(config, weights::WeightScope(source, at::kBFloat16, gpu.device));
    const auto onGpu = at::TensorOptions().device(gpu.device);
    const PreparedText prompt = model.prepareText(at::randn({1, 9, config.textDim}, onGpu)),
                       negative = model.prepareText(at::randn({1, 9, config.textDim}, onGpu));
    const auto plain = attention::makeDispatcher(attention::Policy("sdpa"), gpu).value();
    const auto counted = attention::makeDispatcher(attention::Policy("sdpa"), gpu).value();
    attention::GraphedPasses graphed(gpu);
    for (int step = 0; step < 4; ++step) {
        const at::Tensor latents = at::randn({1, config.inChannels, 3, 6, 8}, onGpu);
        const StepEmbedding embedding = model.embedTimestep(900 - 200 * step);
        for (const PreparedText* text : {&prompt, &negative}) {
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

TEST_F(TransformerOnGpu, CapturedPassesAreCalledAndTheOthersReplayed) {
    using attention::GuidanceBranch;
    const std::string folder = kFixtures + "two-layers";
    const auto config = WanTransformerConfig::from(weights::ModelConfig::read(folder));
    weights::SafetensorsFolder source(folder);
    WanTransformer model(config, weights::WeightScope(source, at::kBFloat16, gpu.device));
    const auto onGpu = at::TensorOptions().device(gpu.device);
    const PreparedText text = model.prepareText(at::randn({1, 9, config.textDim}, onGpu));
    constexpr int kSteps = 6;
    std::vector<at::Tensor> latents;
    for (int step = 0; step < kSteps; ++step)
        latents.push_back(at::randn({1, config.inChannels, 3, 6, 8}, onGpu));

    // The same render twice: every call of it captured without a graph, and two of them with graphs.
    const std::filesystem::path captures = testing::TempDir() + "captures_on_gpu";
    const auto render = [&](const std::string& name, std::size_t most, bool graphs) {
        const auto dispatcher = attention::makeDispatcher(attention::Policy("sdpa"), gpu).value();
        capture::CaptureObserver observer({.folder = captures / name,
                                           .extent = {{0, 1, 2, 3, 4, 5},
                                                      {GuidanceBranch::Conditional},
                                                      {0, 1},
                                                      {attention::ModuleKind::Self}},
                                           .maxCaptures = most,
                                           .source = {.kernel = "sdpa", .model = "tiny", .settings = "{}"}});
        dispatcher->observe(observer);
        attention::GraphedPasses graphed(gpu);
        for (int step = 0; step < kSteps; ++step) {
            StepEmbedding embedding = model.embedTimestep(900 - 100 * step);
            at::Tensor input = latents[std::size_t(step)];
            std::vector<at::Tensor*> read = embedding.tensors();
            read.push_back(&input);
            dispatcher->beginPass(step, GuidanceBranch::Conditional);
            const auto forward = [&] { return model.forward(input, embedding, text, *dispatcher); };
            if (graphs)
                (void)graphed.run(&text, read, forward, *dispatcher);
            else
                (void)forward();
        }
        return observer.finish();
    };
    const auto all = render("all", 0, false), some = render("some", 2, true);
    EXPECT_EQ(all.saved, 12u);
    EXPECT_EQ(some.saved, 2u);
    EXPECT_EQ(some.calls, all.calls);
    const auto files = capture::captureFiles(captures / "some").value();
    for (const auto& file : files) {
        const auto call = capture::readCapture(file).value();
        const auto same = capture::readCapture(captures / "all" / file.filename()).value();
        EXPECT_EQ(call.step, same.step);
        EXPECT_TRUE(at::equal(call.q_BHND, same.q_BHND)) << file;
        EXPECT_TRUE(at::equal(call.v_BHMD, same.v_BHMD)) << file;
    }
    std::filesystem::remove_all(captures);
}

}  // namespace
}  // namespace reelgrid::models::wan
