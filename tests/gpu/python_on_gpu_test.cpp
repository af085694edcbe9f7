// A kernel in Python on a GPU: the one that `backends new --kind python` gives, which needs a Python with
// torch for CUDA.

#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>

#include "core/attention/make_dispatcher.h"
#include "core/benchmark/kernel_check.h"
#include "core/plugins/plugin_list.h"
#include "tests/gpu/gpu.h"

namespace reelgrid {
namespace {

const std::string kFile = REELGRID_SOURCE_DIR "/resources/backends/python/new/example.py";

class PythonOnGpu : public OnGpu {
  protected:
    void SetUp() override {
        OnGpu::SetUp();
        if (IsSkipped()) return;
        std::vector<std::string> notes;
        if (auto added = plugins::addPlugins({{kFile, plugins::Found::Given}}, notes); !added)
            GTEST_SKIP() << added.error().message;
        // The CUDA example has the same name, where it came first.
        if (const auto* found = kernels::findBackend("example"); found->plugin->description.file != kFile)
            GTEST_SKIP() << "run by itself: --gtest_filter=PythonOnGpu.*";
    }
};

TEST_F(PythonOnGpu, HoldsInEveryCaseOfTheCheck) {
    const kernels::BackendInfo& example = *kernels::findBackend("example");
    for (const benchmark::CheckCase& wanted : benchmark::checkCases()) {
        const auto outcome = benchmark::checkKernel(example, wanted, {}, gpu);
        EXPECT_EQ(outcome.whyNot, "") << wanted.name;
        EXPECT_EQ(outcome.failure, "") << wanted.name << " " << kernels::nameOf(wanted.type);
    }
}

/// Calls one upon another, of which none waits for the GPU: each reads what the one before has written.
TEST_F(PythonOnGpu, CallsInARowAreInOrder) {
    at::manual_seed(3);
    const auto make = [&] {
        return at::randn({1, 700, 4, 64}).to(at::kBFloat16).to(gpu.device).transpose(1, 2);
    };
    const at::Tensor k = make(), v = make();
    at::Tensor own = make(), exact = own.to(at::kDouble);
    const auto dispatcher = attention::makeDispatcher(attention::Policy("example"), gpu).value();
    for (int call = 0; call < 30; ++call) {
        own = dispatcher->attend({own * 4, k, v, {}}, {attention::ModuleKind::Self, call});
        exact = at::scaled_dot_product_attention((exact * 4).to(at::kBFloat16).to(at::kDouble),
                                                 k.to(at::kDouble), v.to(at::kDouble))
                    .to(at::kBFloat16)
                    .to(at::kDouble);
    }
    dispatcher->endPasses();
    EXPECT_EQ(dispatcher->records().front().used, "example") << dispatcher->records().front().why;
    EXPECT_LE(relativeError(own, exact), 0.05);
}

TEST_F(PythonOnGpu, SaysWhatACallTakesBesideTheKernel) {
    const kernels::BackendInfo& example = *kernels::findBackend("example");
    const auto seconds = example.plugin->kernel->secondsBesideKernel();
    ASSERT_TRUE(seconds);
    std::cout << "a question and its answer: " << *seconds * 1e6 << " us\n";
    // Small calls, whose kernels take no time to speak of: what a call costs in all.
    const auto x = at::randn({1, 64, 1, 64}).to(at::kBFloat16).to(gpu.device).transpose(1, 2);
    const auto dispatcher = attention::makeDispatcher(attention::Policy("example"), gpu).value();
    for (int round = 0; round < 2; ++round) {
        constexpr int kCalls = 300;
        const auto begin = std::chrono::steady_clock::now();
        for (int call = 0; call < kCalls; ++call)
            (void)dispatcher->attend({x, x, x, {}}, {attention::ModuleKind::Self, 0});
        gpu.synchronise();
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
        std::cout << "a call of 64 tokens: " << taken.count() / kCalls * 1e6 << " us\n";
    }
    dispatcher->endPasses();
}

/// The recipes of named peers.
std::vector<std::string> peers() {
    namespace fs = std::filesystem;
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(REELGRID_SOURCE_DIR "/resources/backends/peers"))
        if (entry.path().extension() == ".py" && !entry.path().stem().string().ends_with("_package"))
            found.push_back(entry.path().stem().string());
    std::ranges::sort(found);
    return found;
}

class PeerOnGpu : public OnGpu, public testing::WithParamInterface<std::string> {};

/// In the cases of `backends check`: what it holds, refuses and fails is printed. A peer's failures are its
/// own; what must not be is that it holds in none.
TEST_P(PeerOnGpu, HoldsWhatItTakes) {
    const std::string file = REELGRID_SOURCE_DIR "/resources/backends/peers/" + GetParam() + ".py";
    std::vector<std::string> notes;
    if (const auto added = plugins::addPlugins({{file, plugins::Found::Given}}, notes); !added)
        GTEST_SKIP() << added.error().message.substr(0, 300);
    const kernels::BackendInfo& peer = kernels::backends().back();
    const auto& said = peer.plugin->description;
    int held = 0, refused = 0, failed = 0;
    for (const benchmark::CheckCase& wanted : benchmark::checkCases()) {
        std::string failure;
        try {
            const auto outcome = benchmark::checkKernel(peer, wanted, {said.claimedL1}, gpu);
            failure = outcome.failure;
            if (!outcome.whyNot.empty()) {
                ++refused;
                continue;
            }
        } catch (const std::exception& thrown) {
            failure = std::string(thrown.what()).substr(0, 400);
        }
        ++(failure.empty() ? held : failed);
        if (!failure.empty())
            std::cout << "  " << wanted.name << " " << kernels::nameOf(wanted.type) << ": " << failure
                      << "\n";
    }
    std::cout << said.name << " " << said.version << ": " << held << " cases hold, " << failed << " don't, "
              << refused << " are refused\n";
    // FastVideo's kernels want the clip's grid, which no case has.
    if (said.name.starts_with("fastvideo"))
        EXPECT_EQ(held + failed, 0);
    else
        EXPECT_GT(held, 0);
}

INSTANTIATE_TEST_SUITE_P(Named, PeerOnGpu, testing::ValuesIn(peers()),
                         [](const auto& recipe) { return recipe.param; });

}  // namespace
}  // namespace reelgrid
