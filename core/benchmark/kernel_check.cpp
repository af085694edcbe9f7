// Shape legend: B batch, H heads, N query tokens, M key tokens, D head dim.

#include "core/benchmark/kernel_check.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/attention/attention_problem.h"
#include "core/attention/call_settings.h"
#include "core/base/number_text.h"
#include "core/benchmark/attention_subject.h"
#include "core/benchmark/float64_attention.h"

namespace reelgrid::benchmark {
namespace {

/// Values of a case, made up as `bench attention` makes them up and then shaped.
AttentionInput valuesOf(const CheckCase& wanted) {
    MadeUp madeUp;
    if (wanted.values == CheckValues::Outliers) madeUp.distribution = Distribution::Outlier;
    if (wanted.values == CheckValues::Sink) madeUp.distribution = Distribution::Sink;
    AttentionInput in = makeUp(madeUp, wanted.shape, kernels::DataType::Float32);
    switch (wanted.values) {
        case CheckValues::OutlierChannel:
            for (at::Tensor* x : {&in.q_BHND, &in.k_BHMD}) x->select(3, 3).mul_(20);
            break;
        case CheckValues::BiasedKeys:
            in.k_BHMD.add_(at::linspace(-8, 8, wanted.shape.headDim));
            break;
        case CheckValues::LargeOffset:
            in.q_BHND.add_(6);
            in.k_BHMD.add_(6);
            break;
        case CheckValues::Opposed:
            in.q_BHND.mul_(0.1).add_(3);
            in.k_BHMD.mul_(0.1).sub_(3);
            break;
        case CheckValues::Zeros:
            for (at::Tensor* x : {&in.q_BHND, &in.k_BHMD, &in.v_BHMD}) x->zero_();
            break;
        case CheckValues::Normal:
        case CheckValues::Outliers:
        case CheckValues::Sink:
            break;
    }
    if (wanted.keyBias == KeyBias::Given) {
        in.keyBias_M = at::arange(wanted.shape.keys, at::kFloat).sin();
        if (wanted.shape.keys > 1) in.keyBias_M[1] = -std::numeric_limits<double>::infinity();
    }
    return in;
}

/// The tensors of a call, each in memory of its own.
struct FencedCall {
    FencedTensor q, k, v, out;
    AttentionInput input;
};

FencedCall fenced(const CheckCase& wanted, const execution::Execution& execution) {
    const at::ScalarType type = scalarTypeOf(wanted.type);
    const AttentionInput values = valuesOf(wanted);
    const auto copied = [&](const char* name, const at::Tensor& x) {
        FencedTensor memory(name, x.sizes(), type, wanted.layout, execution.device);
        memory.tensor_BHND().copy_(x);
        memory.makeReadOnly();
        return memory;
    };
    FencedCall call{copied("q", values.q_BHND),
                    copied("k", values.k_BHMD),
                    copied("v", values.v_BHMD),
                    FencedTensor("out", values.q_BHND.sizes(), type, wanted.layout, execution.device),
                    {}};
    call.input = {call.q.tensor_BHND(), call.k.tensor_BHND(), call.v.tensor_BHND(), {}, {}};
    if (values.keyBias_M.defined()) call.input.keyBias_M = values.keyBias_M.to(execution.device);
    return call;
}

kernels::AttentionProblem problemOf(const kernels::BackendInfo& backend, const FencedCall& call,
                                    const CheckCase& wanted, const execution::Execution& execution,
                                    const attention::BackendOptions& options) {
    const AttentionInput& in = call.input;
    kernels::AttentionProblem problem = attention::problemOf(in.q_BHND, in.k_BHMD, in.v_BHMD);
    problem.stream = execution.stream();
    problem.mask = wanted.mask;
    if (in.keyBias_M.defined()) problem.keyBias = in.keyBias_M.const_data_ptr<float>();
    problem.context.options = options.of(backend.name);
    attention::writeTo(problem, call.out.tensor_BHND());
    return problem;
}

/// Relative to the largest value; in fp32 with room for sums of so many keys in fp32.
double roundingOf(kernels::DataType type, std::int64_t keys) {
    switch (type) {
        case kernels::DataType::Float32:
            return 0x1p-22 * std::max(5.0, std::sqrt(static_cast<double>(keys)));
        case kernels::DataType::BFloat16:
            return 1.0 / 256;
        case kernels::DataType::Float16:
            break;
    }
    return 1.0 / 2048;
}

/// By how much a weight may be off, relative to itself, since fp32 sums of the score before it may be made in
/// any order: a term at a time they are off by up to √D roundings of what the sizes of the terms sum up to,
/// which is much more than the score where those cancel, and than the weight can bear where scores are large.
/// sdpa's own error doesn't say: it is that of one order, which differs between devices. What products of
/// TF32 are off by is six to thirty times this in the cases of large scores.
double scoreRoundingOf(const AttentionInput& in, double scale) {
    const auto longest = [](const at::Tensor& x) {
        return x.to(at::kDouble).pow(2).sum(-1).max().sqrt().item<double>();
    };
    return 0x1p-24 * std::sqrt(static_cast<double>(in.q_BHND.size(3))) * scale * longest(in.q_BHND) *
           longest(in.k_BHMD);
}

/// 0/0 where everything is 0, which is no error.
double orZero(double value, double largest) {
    return largest == 0 && std::isnan(value) ? 0 : value;
}

std::string beyond(const std::string& what, double value, double limit) {
    return what + " " + significant(value, 2) + ", at most " + significant(limit, 2) + " was allowed";
}

std::string judged(const CheckOutcome& outcome, const CheckCase& wanted, const Claim& claim, double largest,
                   double scoreRounding) {
    if (!std::isfinite(outcome.maxError)) return "NaN, infinite or unwritten values in its output";
    if (claim.l1 > 0 && largest > 0)
        return outcome.l1 <= claim.l1 ? "" : beyond("relative L1 error", outcome.l1, claim.l1);
    const double sdpa = std::isfinite(outcome.sdpaMaxError) ? outcome.sdpaMaxError : 0;
    const double allowed = 2 * sdpa + (roundingOf(wanted.type, wanted.shape.keys) + scoreRounding) * largest;
    return outcome.maxError <= allowed ? "" : beyond("largest error", outcome.maxError, allowed);
}

}  // namespace

CheckOutcome checkKernel(const kernels::BackendInfo& backend, const CheckCase& wanted, const Claim& claim,
                         const execution::Execution& execution) {
    CheckOutcome outcome;
    FencedCall call = fenced(wanted, execution);
    const attention::BackendOptions options;
    kernels::AttentionProblem problem = problemOf(backend, call, wanted, execution, options);
    const kernels::AttentionPlan plan = kernels::plan(backend, problem);
    outcome.whyNot = plan.obstacle;
    if (!outcome.whyNot.empty()) return outcome;
    // On a GPU no page is protected: what was changed is seen afterwards.
    const bool onCpu = execution.device.is_cpu();
    std::array<at::Tensor, 3> copies;
    if (!onCpu) copies = {call.input.q_BHND.clone(), call.input.k_BHMD.clone(), call.input.v_BHMD.clone()};
    at::Tensor bias_M;  // which has no pages of its own
    if (call.input.keyBias_M.defined()) bias_M = call.input.keyBias_M.clone();

    const AttentionSubject subject(call.input, wanted.mask, kernels::KeySmoothing::Mean, execution);
    const Float64Attention truth(call.input, wanted.mask, wanted.shape.queries);
    const Accuracy sdpa = truth.accuracyOf(subject.run(*kernels::findBackend("sdpa")));
    outcome.sdpaMaxError = sdpa.maxError;
    outcome.sdpaL1 = orZero(sdpa.l1, truth.largest());

    call.out.fillWithNan();
    const at::Tensor workspace = attention::workspaceOf(problem, plan, call.input.q_BHND);
    plan.attend(problem);
    execution.synchronise();
    const Accuracy own = truth.accuracyOf(call.out.tensor_BHND());
    outcome.maxError = own.maxError;
    outcome.l1 = orZero(own.l1, truth.largest());
    // Sixteen bits round the output by more.
    const double scoreRounding =
        wanted.type == kernels::DataType::Float32 ? scoreRoundingOf(call.input, problem.scale) : 0;
    outcome.failure = judged(outcome, wanted, claim, truth.largest(), scoreRounding);
    if (!call.out.areSurroundingsIntact())
        outcome.failure = "wrote outside its output";
    else if (!onCpu && !(at::equal(copies[0], call.input.q_BHND) && at::equal(copies[1], call.input.k_BHMD) &&
                         at::equal(copies[2], call.input.v_BHMD)))
        outcome.failure = "changed its inputs";
    else if (bias_M.defined() && !at::equal(bias_M, call.input.keyBias_M))
        outcome.failure = "changed its key bias";
    return outcome;
}

}  // namespace reelgrid::benchmark
