// A user's own kernel on a GPU: the CUDA example as a render and `backends check` run it.

#include <gmock/gmock.h>

#include "core/attention/make_dispatcher.h"
#include "core/benchmark/kernel_check.h"
#include "core/plugins/plugin_list.h"
#include "tests/gpu/gpu.h"

namespace reelgrid {
namespace {

class PluginOnGpu : public OnGpu {
  protected:
    void SetUp() override {
        OnGpu::SetUp();
        if (IsSkipped()) return;
        std::vector<std::string> notes;
        plugins::addPlugins({{REELGRID_CUDA_PLUGIN, plugins::Found::Given}}, notes).value();
    }
};

TEST_F(PluginOnGpu, HoldsInEveryCaseOfTheCheck) {
    const kernels::BackendInfo& example = *kernels::findBackend("example");
    for (const benchmark::CheckCase& wanted : benchmark::checkCases()) {
        const auto outcome = benchmark::checkKernel(example, wanted, {}, gpu);
        EXPECT_EQ(outcome.whyNot, "") << wanted.name;
        EXPECT_EQ(outcome.failure, "") << wanted.name << " " << kernels::nameOf(wanted.type);
    }
}

TEST_F(PluginOnGpu, IsDispatchedToAndLookedAt) {
    at::manual_seed(3);
    const auto make = [&](std::int64_t tokens) {
        return at::randn({1, tokens, 2, 64}).to(at::kBFloat16).to(gpu.device).transpose(1, 2);
    };
    const attention::Inputs in{make(70), make(90), make(90), {}};
    const auto dispatcher = attention::makeDispatcher(attention::Policy("example"), gpu).value();
    for (int step = 0; step < 2; ++step) {
        dispatcher->beginPass(step, attention::GuidanceBranch::Conditional);
        for (int layer = 0; layer < 2; ++layer) {
            const at::Tensor out = dispatcher->attend(in, {attention::ModuleKind::Self, layer});
            const at::Tensor exact = at::scaled_dot_product_attention(
                in.q_BHND.to(at::kDouble), in.k_BHMD.to(at::kDouble), in.v_BHMD.to(at::kDouble));
            EXPECT_LE((out.to(at::kDouble) - exact).abs().max().item<double>(), 0.01);
        }
    }
    dispatcher->endPasses();
    EXPECT_EQ(dispatcher->records().front().used, "example");
    EXPECT_EQ(dispatcher->replayOfPass(), attention::Replay::Refused);
}

}  // namespace
}  // namespace reelgrid
