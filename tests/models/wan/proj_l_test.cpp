#include <ATen/CPUGeneratorImpl.h>
#include <gmock/gmock.h>

#include "core/attention/make_dispatcher.h"
#include "core/models/wan/transformer.h"
#include "core/weights/model_config.h"
#include "core/weights/safetensors_folder.h"

namespace reelgrid::models::wan {
namespace {

using attention::ModuleKind;

constexpr std::int64_t kHeadDim = 128;
const std::string kFolder = REELGRID_SOURCE_DIR "/tests/fixtures/wan/head-128";

/// The checkpoint of the fixture with a proj_l, as one that was fine-tuned for sla has it.
class FineTuned final : public weights::WeightSource {
  public:
    explicit FineTuned(std::map<std::string, at::Tensor> added) : m_added(std::move(added)) {}
    at::Tensor require(const std::string& name, at::IntArrayRef shape) override {
        const auto found = m_added.find(name);
        if (found == m_added.end()) return m_stored.require(name, shape);
        TORCH_CHECK(found->second.sizes() == shape);
        return found->second;
    }
    [[nodiscard]] bool has(const std::string& name) const override {
        return m_added.contains(name) || m_stored.has(name);
    }

  private:
    weights::SafetensorsFolder m_stored{kFolder};
    std::map<std::string, at::Tensor> m_added;
};

/// What self-attention was given and gave.
class Listener final : public attention::CallObserver {
  public:
    void served(const attention::Call& call, const attention::Served& served) override {
        if (call.site.kind != ModuleKind::Self) {
            EXPECT_FALSE(call.inputs.projL_DD.defined()) << "sla is for self-attention";
            return;
        }
        inputs = call.inputs;
        output = served.out_BHND;
        why = served.why;
    }
    void replayed(const attention::Pass&, const attention::RecordedCall&) override {}

    attention::Inputs inputs;
    at::Tensor output;
    std::string why = "no self-attention";
};

void render(weights::WeightSource& source, at::ScalarType dtype, Listener& listener) {
    const auto config = WanTransformerConfig::from(weights::ModelConfig::read(kFolder));
    WanTransformer model(config, weights::WeightScope(source, dtype));
    const at::Generator random(at::detail::createCPUGenerator(3));
    const at::Tensor latents = at::randn({1, 16, 3, 4, 6}, random, at::kFloat);
    const at::Tensor text = at::randn({1, 9, config.textDim}, random, at::kFloat);
    const auto sla = attention::makeDispatcher("sla").value();
    sla->observe(listener);
    sla->beginPass(0, attention::GuidanceBranch::Conditional);
    (void)model.forward(latents, model.embedTimestep(500), model.prepareText(text), *sla);
}

/// φq (φkᵀ v) / (1e-5 + φq · Σφk) · Wᵀ + b in float64, φ the softmax over the head dim.
at::Tensor linearBranch(const attention::Inputs& in, const at::Tensor& weight, const at::Tensor& bias) {
    const at::Tensor q = in.q_BHND.to(at::kDouble).softmax(-1), k = in.k_BHMD.to(at::kDouble).softmax(-1);
    const at::Tensor sums = at::matmul(k.transpose(-1, -2), in.v_BHMD.to(at::kDouble));
    const at::Tensor norm = at::matmul(q, k.sum(2).unsqueeze(-1)) + 1e-5;
    return at::matmul(at::matmul(q, sums) / norm, weight.to(at::kDouble).t()) + bias.to(at::kDouble);
}

class ProjL : public testing::TestWithParam<const char*> {
  protected:
    at::Tensor m_weight =
        at::randn({kHeadDim, kHeadDim}, at::Generator(at::detail::createCPUGenerator(5)), at::kFloat) * 0.1;
    at::Tensor m_bias = at::randn({kHeadDim}, at::Generator(at::detail::createCPUGenerator(6)), at::kFloat);
};

TEST_P(ProjL, AddsTheLinearBranchToTheSparsePart) {
    const std::string name = std::string("blocks.0.attn1.") + GetParam();
    Listener plain, tuned;
    FineTuned without({});
    render(without, at::kFloat, plain);
    EXPECT_EQ(plain.why, "no proj_l for the linear branch: the sparse part alone");
    FineTuned with({{name + ".weight", m_weight}, {name + ".bias", m_bias}});
    render(with, at::kFloat, tuned);
    EXPECT_EQ(tuned.why, "");

    ASSERT_TRUE(at::equal(tuned.inputs.q_BHND, plain.inputs.q_BHND));
    const at::Tensor added = (tuned.output - plain.output).to(at::kDouble);
    const at::Tensor expected = linearBranch(tuned.inputs, m_weight, m_bias);
    const double error = ((added - expected).abs().max() / expected.abs().max()).item<double>();
    EXPECT_LE(error, 1e-5);
}

TEST_P(ProjL, StaysFp32AndMayLackItsBias) {
    const std::string name = std::string("blocks.0.attn1.") + GetParam();
    FineTuned source({{name + ".weight", m_weight.to(at::kBFloat16)}});
    Listener listener;
    render(source, at::kBFloat16, listener);
    EXPECT_EQ(listener.inputs.projL_DD.scalar_type(), at::kFloat);
    EXPECT_FALSE(listener.inputs.projLBias_D.defined());
    EXPECT_EQ(listener.why, "");
}

INSTANTIATE_TEST_SUITE_P(Names, ProjL,
                         testing::Values("proj_l", "attn_op.local_attn.proj_l", "local_attn.proj_l",
                                         "attn_impl.proj_l"));

}  // namespace
}  // namespace reelgrid::models::wan
