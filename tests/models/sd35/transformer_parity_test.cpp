#include "core/models/sd35/transformer.h"

#include <gmock/gmock.h>

#include <array>
#include <optional>

#include "core/base/result.h"
#include "core/weights/model_config.h"
#include "core/weights/safetensors_folder.h"
#include "tests/models/wan/sdpa_dispatcher.h"

namespace reelgrid::models::sd35 {
namespace {

const std::string kFixtures = REELGRID_SOURCE_DIR "/tests/fixtures/sd35/";

struct Input {
    std::string form;
    int index;
    std::int64_t frames, rows, columns, textTokens;
};

void PrintTo(const Input& input, std::ostream* out) {
    *out << input.form << " input " << input.index;
}

double largest(const at::Tensor& x) {
    return x.abs().max().item<double>();
}

/// A tiny transformer, with its temporal module where it has one and is asked for.
class TinyTransformer {
  public:
    explicit TinyTransformer(const std::string& form, at::ScalarType dtype = at::kFloat,
                             const BlockOptions& options = {})
        : m_folder(kFixtures + form),
          m_source(m_folder + "/transformer"),
          m_config(Sd35TransformerConfig::from(weights::ModelConfig::read(m_folder + "/transformer"))),
          m_model(m_config, weights::WeightScope(m_source, dtype), options) {}

    Sd35Transformer* operator->() { return &m_model; }
    void addTemporal(double strength = 1) {
        m_temporalSource.emplace(m_folder + "/temporal_module");
        m_temporal.emplace(
            TemporalConfig::fitting(m_config, weights::ModelConfig::read(m_folder + "/temporal_module")),
            weights::WeightScope(*m_temporalSource, at::kFloat));
        m_model.setTemporal({&*m_temporal, strength});
    }

  private:
    std::string m_folder;
    weights::SafetensorsFolder m_source;
    std::optional<weights::SafetensorsFolder> m_temporalSource;
    Sd35TransformerConfig m_config;
    Sd35Transformer m_model;
    std::optional<TemporalModule> m_temporal;
};

class Sd35TransformerParity : public testing::TestWithParam<Input> {
  protected:
    at::Tensor read(const std::string& name, at::IntArrayRef shape) {
        return m_io.require(std::to_string(GetParam().index) + "." + name, shape);
    }
    [[nodiscard]] static std::vector<std::int64_t> shape() {
        const Input& in = GetParam();
        return {1, 16, in.frames, in.rows, in.columns};
    }
    at::Tensor run(TinyTransformer& model, std::span<const int> skipped = {}) {
        const PreparedText text{model->prepareText(read("text", {1, GetParam().textTokens, 40}))};
        const at::Tensor pooled = model->preparePooled(read("pooled", {1, 20}));
        const StepEmbedding step = model->embedTimestep(read("timestep", {1}).item<double>(), pooled);
        return model->forward(read("latents", shape()), step, text, m_dispatcher, skipped);
    }
    double errorOf(TinyTransformer& model, const std::string& expected, std::span<const int> skipped = {}) {
        const at::Tensor reference = read(expected, shape()), made = run(model, skipped);
        return made.sizes() == reference.sizes() ? largest(made - reference) / largest(reference) : 1e30;
    }

    weights::SafetensorsFolder m_io{kFixtures + GetParam().form + "/calls.safetensors"};
    wan::SdpaDispatcher m_dispatcher;
};

TEST_P(Sd35TransformerParity, EqualsTheReferenceInFp32) {
    TinyTransformer model(GetParam().form);
    const double error = errorOf(model, "fp32");
    RecordProperty("relative_error", std::to_string(error));
    EXPECT_LE(error, 1e-5);
}

TEST_P(Sd35TransformerParity, EqualsItWhereverBlocksLie) {
    for (const BlockResidence residence : {BlockResidence::Windowed, BlockResidence::Streamed}) {
        TinyTransformer model(GetParam().form, at::kFloat, {.residence = residence});
        EXPECT_LE(errorOf(model, "fp32"), 1e-5);
    }
}

TEST_P(Sd35TransformerParity, StaysWithinTheReferencesOwnRoundingInBf16) {
    const at::Tensor exact = read("fp32", shape());
    const double referenceError = largest(read("bf16", shape()) - exact) / largest(exact);
    TinyTransformer model(GetParam().form, at::kBFloat16);
    const double error = errorOf(model, "fp32");
    EXPECT_LE(error, 1.5 * referenceError + 4e-3);
    EXPECT_GT(error, 1e-5) << "bf16 was not used";
}

TEST_P(Sd35TransformerParity, StaysCloseInFp16) {
    TinyTransformer model(GetParam().form, at::kHalf);
    const double error = errorOf(model, "fp32");
    EXPECT_LE(error, 4e-3);
    EXPECT_GT(error, 1e-5) << "fp16 was not used";
}

TEST_P(Sd35TransformerParity, LeavesLayersOutAsTheReference) {
    if (GetParam().form != "medium") return;
    TinyTransformer model("medium");
    constexpr std::array skipped{1, 2};
    EXPECT_LE(errorOf(model, "skipped", skipped), 1e-5);
}

TEST_P(Sd35TransformerParity, EqualsTheRecipeWithATemporalModule) {
    if (GetParam().form != "medium") return;
    TinyTransformer model("medium");
    model.addTemporal();
    EXPECT_LE(errorOf(model, "temporal"), 1e-5);
    model.addTemporal(0);
    EXPECT_LE(errorOf(model, "fp32"), 1e-5) << "a module of strength 0 changed something";
}

INSTANTIATE_TEST_SUITE_P(Reference, Sd35TransformerParity,
                         testing::Values(Input{"medium", 0, 3, 6, 10, 9}, Input{"medium", 1, 1, 8, 4, 3},
                                         Input{"medium", 2, 5, 2, 28, 12}, Input{"large", 0, 2, 8, 6, 7},
                                         Input{"large", 1, 1, 24, 2, 5}, Input{"3.0", 0, 2, 4, 10, 6}));

at::Tensor predict(TinyTransformer& model, const at::Tensor& latents, attention::Dispatcher& dispatcher) {
    const PreparedText text{model->prepareText(at::zeros({1, 4, 40}))};
    const at::Tensor pooled = model->preparePooled(at::zeros({1, 20}));
    return model->forward(latents, model->embedTimestep(1, pooled), text, dispatcher);
}

TEST(Sd35Transformer, AsksForItsKindsOfAttentionInTheOrderOfTheLayers) {
    using enum attention::ModuleKind;
    TinyTransformer model("medium");
    model.addTemporal();
    wan::SdpaDispatcher dispatcher;
    (void)predict(model, at::zeros({1, 16, 2, 4, 4}), dispatcher);
    std::vector<std::pair<attention::ModuleKind, int>> asked;
    for (const attention::CallSite& site : dispatcher.sites) asked.emplace_back(site.kind, site.layer);
    const std::vector<std::pair<attention::ModuleKind, int>> expected{
        {Joint, 0},    {Self, 0},  {Temporal, 0}, {Joint, 1}, {Self, 1},
        {Temporal, 1}, {Joint, 2}, {Temporal, 2}, {Joint, 3}, {Temporal, 3}};
    EXPECT_EQ(asked, expected);
}

TEST(Sd35Transformer, RejectsLatentsThatDoNotFitNamingTheirSize) {
    TinyTransformer model("large");
    wan::SdpaDispatcher dispatcher;
    for (const auto& [shape, named] :
         {std::pair{std::vector<std::int64_t>{1, 16, 1, 3, 4}, "[1, 16, 1, 3, 4]"},
          {{1, 8, 1, 4, 4}, "[1, 8, 1, 4, 4]"},
          {{16, 1, 4, 4}, "[16, 1, 4, 4]"},
          {{1, 16, 1, 4, 26}, "2x13 tokens, the model has positions for 12x12"}}) {
        try {
            (void)predict(model, at::zeros(shape), dispatcher);
            ADD_FAILURE() << named << " was accepted";
        } catch (const Failure& failure) {
            EXPECT_THAT(failure.error().message, testing::HasSubstr(named));
        }
    }
}

TEST(Sd35Transformer, RejectsMoreFramesThanItsTemporalModuleHasPositions) {
    TinyTransformer model("medium");
    model.addTemporal();
    wan::SdpaDispatcher dispatcher;
    EXPECT_NO_THROW((void)predict(model, at::zeros({1, 16, 6, 2, 2}), dispatcher));
    try {
        (void)predict(model, at::zeros({1, 16, 7, 2, 2}), dispatcher);
        ADD_FAILURE() << "7 frames were accepted";
    } catch (const Failure& failure) {
        EXPECT_THAT(failure.error().message, testing::HasSubstr("7 frames"));
    }
}

TEST(Sd35Positions, AreTheReferencesWithoutTheCheckpointsTable) {
    const auto config =
        Sd35TransformerConfig::from(weights::ModelConfig::read(kFixtures + "large/transformer"));
    weights::SafetensorsFolder reference(kFixtures + "positions.safetensors");
    weights::RecordingWeights none([](const std::string&) { return false; });
    CroppedPositions positions(config, weights::WeightScope(none, at::kFloat));
    EXPECT_LE(largest(positions.of(3, 8) - reference.require("3x8", {24, 48})), 1e-6);
    EXPECT_LE(largest(positions.of(12, 12) - reference.require("12x12", {144, 48})), 1e-6);
}

}  // namespace
}  // namespace reelgrid::models::sd35
