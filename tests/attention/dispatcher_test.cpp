#include <gmock/gmock.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <stdexcept>

#include "core/attention/kernel_call.h"
#include "core/attention/make_dispatcher.h"
#include "core/protocol/attention_policy_json.h"
#include "kernels/backends/backend_list.h"

namespace reelgrid::attention {
namespace {

using testing::HasSubstr;

constexpr CallSite kSelf{ModuleKind::Self, 0};
constexpr CallSite kCross{ModuleKind::Cross, 0};

/// As a transformer hands them over: projections of [B, N, H·D] seen as [B, H, N, D].
Inputs inputsOf(at::ScalarType dtype, std::int64_t queries, std::int64_t keys, std::int64_t headDim) {
    at::manual_seed(3);
    const auto make = [&](std::int64_t tokens) {
        return at::randn({1, tokens, 3, headDim}).to(dtype).transpose(1, 2);
    };
    return {make(queries), make(keys), make(keys), {}};
}

/// Relative L1 error on normal inputs. e4m3 P and V cost 0.04; sla reads one block of keys of the four here,
/// sta and radial those nearby.
double mostError(const std::string& backend) {
    if (backend == "sla" || backend == "sagesla" || backend == "sta" || backend == "radial") return 3;
    return backend == "fav3_fp8" || backend == "fav3_sage" || backend == "sagev2" ? 0.07 : 0.03;
}

class EveryBackend : public testing::TestWithParam<std::string> {};

TEST_P(EveryBackend, IsCloseToDoublePrecisionAndSaysThatItRan) {
    for (const at::ScalarType dtype : {at::kFloat, at::kBFloat16}) {
        const auto dispatcher = makeDispatcher(GetParam()).value();
        Inputs in = inputsOf(dtype, 200, 200, 128);
        in.grid = {.frames = 2, .rows = 10, .columns = 10};
        const at::Tensor out = dispatcher->attend(in, kSelf);
        const at::Tensor exact = at::scaled_dot_product_attention(
            in.q_BHND.to(at::kDouble), in.k_BHMD.to(at::kDouble), in.v_BHMD.to(at::kDouble));
        EXPECT_EQ(out.scalar_type(), dtype);
        EXPECT_TRUE(out.transpose(1, 2).is_contiguous());
        const double error = ((out.to(at::kDouble) - exact).abs().sum() / exact.abs().sum()).item<double>();
        EXPECT_LE(error, mostError(GetParam())) << GetParam() << " " << at::toString(dtype);
        const auto records = dispatcher->records();
        ASSERT_EQ(records.size(), 1u);
        EXPECT_EQ(records[0].requested, GetParam());
        EXPECT_EQ(records[0].used, GetParam());
        EXPECT_EQ(records[0].why, GetParam() == "sla" || GetParam() == "sagesla"
                                      ? "no proj_l for the linear branch: the sparse part alone"
                                      : "");
        EXPECT_EQ(records[0].calls, 1);
    }
}

std::vector<std::string> names() {
    std::vector<std::string> list;
    for (const kernels::BackendInfo* backend : kernels::backendsOn(kernels::Device::Cpu))
        list.emplace_back(backend->name);
    return list;
}
INSTANTIATE_TEST_SUITE_P(All, EveryBackend, testing::ValuesIn(names()),
                         [](const auto& tested) { return tested.param; });

TEST(Dispatcher, SparseBackendsKeepTheShareThatIsAskedFor) {
    const Inputs in = inputsOf(at::kFloat, 200, 1300, 64);
    const auto outOf = [&](const char* backend, double topk) {
        return makeDispatcher(Policy(backend), {}, {.slaTopk = topk}).value()->attend(in, kSelf).clone();
    };
    EXPECT_TRUE(at::equal(outOf("sla", 1), outOf("fav2", 0.5)));
    EXPECT_FALSE(at::equal(outOf("sla", 0.5), outOf("sla", 0.1)));
    EXPECT_FALSE(at::equal(outOf("sagesla", 0.5), outOf("sagesla", 0.1)));
    EXPECT_TRUE(at::equal(outOf("sla", 0.1), makeDispatcher("sla").value()->attend(in, kSelf)));
}

TEST(Dispatcher, SlaAddsItsLinearBranchThroughTheLayersProjL) {
    const auto dispatcher = makeDispatcher("sla").value();
    Inputs in = inputsOf(at::kFloat, 200, 700, 64);
    const at::Tensor sparse = dispatcher->attend(in, kSelf).clone();
    in.projL_DD = at::eye(64);
    in.projLBias_D = at::full({64}, 0.25);
    const at::Tensor phiQ = in.q_BHND.softmax(-1), phiK = in.k_BHMD.softmax(-1);
    const at::Tensor linear = phiQ.matmul(phiK.transpose(-2, -1).matmul(in.v_BHMD)) /
                              (1e-5 + phiQ.matmul(phiK.sum(-2, true).transpose(-2, -1)));
    const at::Tensor expected = sparse + linear + 0.25;
    EXPECT_LE((dispatcher->attend(in, kSelf) - expected).abs().max().item<double>(), 1e-5);
    EXPECT_EQ(dispatcher->records().back().why, "");

    in.projL_DD = at::eye(32);
    (void)dispatcher->attend(in, kSelf);
    EXPECT_EQ(dispatcher->records().back().used, "sdpa");
    EXPECT_NE(dispatcher->records().back().why.find("proj_l is Float [32, 32]"), std::string::npos)
        << dispatcher->records().back().why;
}

TEST(Dispatcher, AGpusOperatorSaysWhyItDoesNotRunOnTheCpu) {
    for (const std::string name : {"cudnn", "flash"}) {
        const auto dispatcher = makeDispatcher(name).value();
        (void)dispatcher->attend(inputsOf(at::kBFloat16, 50, 20, 64), kSelf);
        const auto records = dispatcher->records();
        ASSERT_EQ(records.size(), 1U);
        EXPECT_EQ(records[0].used, "sdpa");
        EXPECT_EQ(records[0].why, name + ": runs on an NVIDIA GPU only");
    }
}

TEST(Dispatcher, CrossAttentionStaysSdpa) {
    const auto dispatcher = makeDispatcher("sagev1").value();
    const Inputs in = inputsOf(at::kFloat, 50, 20, 64);
    (void)dispatcher->attend(in, kCross);
    const auto records = dispatcher->records();
    ASSERT_EQ(records.size(), 1u);
    EXPECT_EQ(records[0].kind, ModuleKind::Cross);
    EXPECT_EQ(records[0].requested, "sdpa");
    EXPECT_EQ(records[0].used, "sdpa");
}

TEST(Dispatcher, ACallThatABackendCannotRunSaysSo) {
    const auto dispatcher = makeDispatcher("fav2").value();
    const Inputs in = inputsOf(at::kFloat, 20, 20, 512);
    const at::Tensor out = dispatcher->attend(in, kSelf);
    EXPECT_TRUE(
        at::allclose(out, at::scaled_dot_product_attention(in.q_BHND, in.k_BHMD, in.v_BHMD), 1e-4, 1e-5));
    const auto records = dispatcher->records();
    ASSERT_EQ(records.size(), 1u);
    EXPECT_EQ(records[0].requested, "fav2");
    EXPECT_EQ(records[0].used, "sdpa");
    EXPECT_THAT(records[0].why, HasSubstr("512"));
}

TEST(Dispatcher, ABiasedKeyStandsForManyEqualOnes) {
    const Inputs few = inputsOf(at::kFloat, 30, 5, 64);
    const auto repeatLast = [](const at::Tensor& x) {
        return at::cat({x, x.slice(2, 4).expand({1, 3, 99, 64})}, 2);
    };
    const Inputs many{few.q_BHND, repeatLast(few.k_BHMD), repeatLast(few.v_BHMD), {}};
    Inputs biased = few;
    biased.keyBias_M = at::zeros({5});
    biased.keyBias_M[4] = std::log(100.0);
    for (const char* type : {"sdpa", "fav2", "fav3"}) {
        const auto dispatcher = makeDispatcher(type).value();
        EXPECT_TRUE(
            at::allclose(dispatcher->attend(biased, kSelf), dispatcher->attend(many, kSelf), 1e-5, 1e-6))
            << type;
        EXPECT_EQ(dispatcher->records()[0].used, type);
    }
}

TEST(Dispatcher, AKernelThatTakesNoKeyBiasSaysSo) {
    const auto dispatcher = makeDispatcher("sla").value();
    Inputs in = inputsOf(at::kFloat, 8, 8, 64);
    in.keyBias_M = at::zeros({8});
    (void)dispatcher->attend(in, kSelf);
    EXPECT_EQ(dispatcher->records()[0].used, "sdpa");
    EXPECT_THAT(dispatcher->records()[0].why, HasSubstr("bias"));

    const KernelCall wrong(
        *kernels::findBackend("fav2"),
        {.q_BHND = in.q_BHND, .k_BHMD = in.k_BHMD, .v_BHMD = in.v_BHMD, .keyBias_M = at::zeros({7})});
    EXPECT_THAT(wrong.whyNot().value_or(""), HasSubstr("[7], contiguous fp32 [8]"));
}

TEST(Dispatcher, DefaultIsAttributedToSdpa) {
    const auto dispatcher = makeDispatcher("default").value();
    const Inputs in = inputsOf(at::kFloat, 8, 8, 32);
    (void)dispatcher->attend(in, kSelf);
    EXPECT_EQ(dispatcher->records()[0].requested, "default");
    EXPECT_EQ(dispatcher->records()[0].used, "sdpa");
}

TEST(Dispatcher, AnUnknownTypeNamesTheKnownOnes) {
    const auto dispatcher = makeDispatcher("fav9");
    ASSERT_FALSE(dispatcher);
    EXPECT_EQ(dispatcher.error().code, ErrorCode::BadUsage);
    EXPECT_THAT(dispatcher.error().message, testing::AllOf(HasSubstr("fav9"), HasSubstr("sagev1")));
}

double largestDifference(const at::Tensor& a, const at::Tensor& b) {
    return (a.to(at::kDouble) - b.to(at::kDouble)).abs().max().item<double>();
}

TEST(Dispatcher, ExactBackendsStayWithDoublePrecisionInEveryType) {
    for (const auto& [dtype, allowed] :
         {std::pair{at::kFloat, 3e-6}, {at::kBFloat16, 0.01}, {at::kHalf, 0.002}})
        for (const std::int64_t dim : {64, 128})
            for (const std::string name : {"sdpa", "fav2"}) {
                const Inputs in = inputsOf(dtype, 144, 200, dim);
                const at::Tensor out = makeDispatcher(name).value()->attend(in, kSelf);
                const at::Tensor exact = at::scaled_dot_product_attention(
                    in.q_BHND.to(at::kDouble), in.k_BHMD.to(at::kDouble), in.v_BHMD.to(at::kDouble));
                EXPECT_LE(largestDifference(out, exact), allowed)
                    << name << " " << at::toString(dtype) << " d" << dim;
            }
}

TEST(Dispatcher, TakesSlicesOfOneProjectionAndLeavesThemAsTheyWere) {
    const at::Tensor qkv = at::randn({1, 70, 3 * 2 * 64});
    const at::Tensor before = qkv.clone();
    std::vector<at::Tensor> heads;
    for (const auto& part : qkv.chunk(3, -1)) heads.push_back(part.unflatten(-1, {2, 64}).transpose(1, 2));
    const at::Tensor expected = at::scaled_dot_product_attention(heads[0], heads[1], heads[2]);
    for (const std::string name : {"fav2", "sagev1"}) {
        const at::Tensor out =
            makeDispatcher(name).value()->attend({heads[0], heads[1], heads[2], {}}, kSelf);
        EXPECT_LE(largestDifference(out, expected), 0.05) << name;
        EXPECT_TRUE(at::equal(qkv, before)) << name;
    }
}

TEST(Dispatcher, ResultIsContiguousTokensFirstForHeadsFirstInputsToo) {
    const at::Tensor x = at::randn({2, 2, 30, 64});
    for (const std::string& name : names()) {
        const at::Tensor out = makeDispatcher(name).value()->attend({x, x, x, {}}, kSelf);
        EXPECT_EQ(out.sizes(), x.sizes());
        EXPECT_TRUE(out.transpose(1, 2).is_contiguous()) << name;
    }
}

std::unique_ptr<Dispatcher> dispatcherWith(const std::string& type, const std::vector<std::string>& rules) {
    const auto policy = protocol::attentionPolicyFromRules(rules).value();
    return makeDispatcher(Policy::create(type, policy, {2, 4}).value()).value();
}

TEST(Dispatcher, APolicyCanAskForABackendInCrossAttention) {
    const auto dispatcher = dispatcherWith("sdpa", {"fav2:module=cross"});
    const Inputs in = inputsOf(at::kFloat, 40, 512, 64);
    (void)dispatcher->attend(in, kCross);
    EXPECT_EQ(dispatcher->records().at(0).requested, "fav2");
    EXPECT_EQ(dispatcher->records().at(0).used, "fav2");
}

TEST(Dispatcher, RecordsWhatThePolicyAskedOfEachPassAndLayer) {
    const auto dispatcher = dispatcherWith("sagev1", {"sdpa:steps=0", "fav2:layers=1,branch=unconditional"});
    const Inputs in = inputsOf(at::kFloat, 20, 20, 64);
    for (int step = 0; step < 4; ++step)
        for (const GuidanceBranch branch : {GuidanceBranch::Conditional, GuidanceBranch::Unconditional}) {
            dispatcher->beginPass(step, branch);
            for (int layer = 0; layer < 2; ++layer) {
                (void)dispatcher->attend(in, {ModuleKind::Self, layer});
                (void)dispatcher->attend(in, {ModuleKind::Cross, layer});
            }
        }
    std::map<std::string, std::int64_t> calls;
    for (const CallRecord& record : dispatcher->records()) {
        EXPECT_EQ(record.used, record.requested);
        calls[(record.kind == ModuleKind::Self ? "self " : "cross ") + record.used] += record.calls;
    }
    const std::map<std::string, std::int64_t> expected{
        {"self sdpa", 4}, {"self fav2", 3}, {"self sagev1", 9}, {"cross sdpa", 16}};
    EXPECT_EQ(calls, expected);
    EXPECT_EQ(dispatcher->records().size(), 4u);
}

/// Writes down what it is told.
class Witness final : public CallObserver {
  public:
    void served(const Call& call, const Served& served) override {
        lines.push_back(lineOf(call.pass, call.site, {call.requested, served.used, served.why}));
        EXPECT_TRUE(call.inputs.q_BHND.defined());
        outputs.push_back(served.out_BHND);
    }
    void replayed(const Pass& pass, const RecordedCall& call) override {
        lines.push_back("again " + lineOf(pass, call.site, call.choice));
        shapes.push_back(call.shape);
    }
    [[nodiscard]] Replay replayOf(const Pass& pass) const override {
        return pass.step == 3 ? Replay::Refused : Replay::Allowed;
    }

    std::vector<std::string> lines;
    std::vector<at::Tensor> outputs;
    std::vector<CallShape> shapes;

  private:
    static std::string lineOf(const Pass& pass, const CallSite& site, const protocol::BackendChoice& choice) {
        return std::to_string(pass.step) + " " + nameOf(site.kind) + " " + std::to_string(site.layer) + ": " +
               choice.requested + " by " + choice.used;
    }
};

TEST(Dispatcher, TellsObserversOfEveryCall) {
    const auto dispatcher = dispatcherWith("sla", {"fav2:steps=1"});
    Witness witness;
    dispatcher->observe(witness);
    Inputs in = inputsOf(at::kFloat, 20, 20, 64);
    dispatcher->beginPass(0, GuidanceBranch::Conditional);
    const at::Tensor out = dispatcher->attend(in, kSelf);
    dispatcher->beginPass(1, GuidanceBranch::Conditional);
    (void)dispatcher->attend(in, {ModuleKind::Self, 1});
    in.keyBias_M = at::zeros({20});
    dispatcher->beginPass(2, GuidanceBranch::Conditional);
    (void)dispatcher->attend(in, kSelf);
    EXPECT_THAT(witness.lines, testing::ElementsAre("0 self 0: sla by sla", "1 self 1: fav2 by fav2",
                                                    "2 self 0: sla by sdpa"));
    EXPECT_TRUE(witness.outputs.front().is_same(out));
}

TEST(Dispatcher, ReplayedPassesCountWhatTheyAskedForWhenTheyWereRecorded) {
    const auto dispatcher = dispatcherWith("fav2", {});
    Witness witness;
    dispatcher->observe(witness);
    const Inputs in = inputsOf(at::kFloat, 20, 30, 64);
    const auto pass = [&] {
        (void)dispatcher->attend(in, kSelf);
        (void)dispatcher->attend(in, kCross);
    };
    dispatcher->beginPass(0, GuidanceBranch::Conditional);
    pass();
    const std::vector<RecordedCall> calls = dispatcher->record(pass);
    EXPECT_EQ(witness.lines.size(), 2U) << "recording computes nothing";
    dispatcher->beginPass(1, GuidanceBranch::Conditional);
    dispatcher->replayed(calls);
    EXPECT_THAT(witness.lines,
                testing::ElementsAre("0 self 0: fav2 by fav2", "0 cross 0: sdpa by sdpa",
                                     "again 1 self 0: fav2 by fav2", "again 1 cross 0: sdpa by sdpa"));
    EXPECT_EQ(witness.shapes.at(0), shapeOf(in));
    for (const CallRecord& record : dispatcher->records()) EXPECT_EQ(record.calls, 2) << record.used;

    EXPECT_EQ(dispatcher->replayOfPass(), Replay::Allowed);
    dispatcher->beginPass(3, GuidanceBranch::Conditional);
    EXPECT_EQ(dispatcher->replayOfPass(), Replay::Refused) << "an observer needs the calls";
}

TEST(Dispatcher, ARecordingThatFailsLeavesCallsCounted) {
    const auto dispatcher = dispatcherWith("fav2", {});
    EXPECT_THROW((void)dispatcher->record([] { throw std::runtime_error("no graph"); }), std::runtime_error);
    (void)dispatcher->attend(inputsOf(at::kFloat, 20, 20, 64), kSelf);
    EXPECT_EQ(dispatcher->records().size(), 1U);
}

TEST(Dispatcher, PassesThatAskForTheSameHaveEqualChoices) {
    const auto dispatcher = dispatcherWith("sagev1", {"fav2:layers=1,steps=0", "fav2:layers=1,steps=2"});
    std::vector<PassChoices> choices;
    for (int step = 0; step < 4; ++step) {
        dispatcher->beginPass(step, GuidanceBranch::Conditional);
        choices.push_back(dispatcher->choicesOfPass());
    }
    EXPECT_EQ(choices[0], choices[2]);
    EXPECT_EQ(choices[1], choices[3]);
    EXPECT_NE(choices[0], choices[1]);
    // Another render's policy of the same effect is equal too, and one of another backend is not.
    EXPECT_EQ(choices[1], dispatcherWith("sagev1", {"sagev1:layers=0"})->choicesOfPass());
    EXPECT_EQ(choices[1], Policy("sagev1").choicesOf({}));
    EXPECT_NE(choices[1], Policy("fav2").choicesOf({}));
}

TEST(Dispatcher, ARuleWithAnUnknownBackendNamesTheKnownOnes) {
    const auto policy = protocol::attentionPolicyFromRules({"fav9:module=cross"}).value();
    const auto dispatcher = makeDispatcher(Policy::create("sdpa", policy, {2, 4}).value());
    ASSERT_FALSE(dispatcher);
    EXPECT_EQ(dispatcher.error().code, ErrorCode::BadUsage);
    EXPECT_THAT(dispatcher.error().message, testing::AllOf(HasSubstr("fav9"), HasSubstr("sagev1")));
}

TEST(Dispatcher, CallsOfOneKindAreCountedTogetherAndTimed) {
    const auto dispatcher = makeDispatcher("fav2").value();
    const Inputs in = inputsOf(at::kFloat, 40, 40, 64);
    for (int i = 0; i < 3; ++i) (void)dispatcher->attend(in, kSelf);
    const auto records = dispatcher->records();
    ASSERT_EQ(records.size(), 1u);
    EXPECT_EQ(records[0].calls, 3);
    EXPECT_GT(records[0].seconds, 0);
}

TEST(Dispatcher, DoubleTensorsRunWithSdpaAndSaySo) {
    const auto dispatcher = makeDispatcher("sagev1").value();
    const Inputs in = inputsOf(at::kDouble, 20, 20, 64);
    (void)dispatcher->attend(in, kSelf);
    EXPECT_EQ(dispatcher->records().at(0).used, "sdpa");
    EXPECT_THAT(dispatcher->records().at(0).why, HasSubstr("Double"));
}

TEST(Dispatcher, SharedKeyHeadsGiveTheSameWithEveryBackend) {
    const at::Tensor q = at::randn({1, 4, 30, 64});
    const at::Tensor k = at::randn({1, 2, 50, 64});
    const at::Tensor expected = makeDispatcher("sdpa").value()->attend({q, k, k, {}}, kSelf);
    EXPECT_LE(largestDifference(makeDispatcher("fav2").value()->attend({q, k, k, {}}, kSelf), expected),
              3e-6);
}

TEST(KernelCall, RefusesTensorsThatDontBelongTogether) {
    const auto& fav2 = *kernels::findBackend("fav2");
    const at::Tensor q = at::randn({1, 2, 30, 64});
    const at::Tensor shorter = at::randn({1, 2, 20, 64});
    const at::Tensor narrow = at::randn({1, 2, 30, 32});
    EXPECT_THAT(KernelCall(fav2, {q, q, shorter, {}}).whyNot().value_or(""), HasSubstr("[1, 2, 20, 64]"));
    EXPECT_THAT(KernelCall(fav2, {q, narrow, narrow, {}}).whyNot().value_or(""), HasSubstr("[1, 2, 30, 32]"));
    EXPECT_EQ(KernelCall(fav2, {q, shorter, shorter, {}}).whyNot(), std::nullopt);
}

TEST(Dispatcher, InstructionsThatCantBeForcedAreBadUsage) {
    const char* before = std::getenv("REELGRID_CPU");
    const std::string kept = before != nullptr ? before : "";
    setenv("REELGRID_CPU", "pentium", 1);
    const auto made = makeDispatcher("fav2");
    if (before != nullptr)
        setenv("REELGRID_CPU", kept.c_str(), 1);
    else
        unsetenv("REELGRID_CPU");
    ASSERT_FALSE(made.ok());
    EXPECT_EQ(made.error().code, ErrorCode::BadUsage);
    EXPECT_THAT(made.error().message, HasSubstr("pentium"));
}

}  // namespace
}  // namespace reelgrid::attention
