#include "core/benchmark/attention_subject.h"

#include <ATen/SDPBackend.h>

#include <limits>
#include <utility>

#include "core/attention/attention_problem.h"
#include "core/attention/libtorch_attention.h"
#include "core/attention/plugin_guard.h"

namespace reelgrid::benchmark {
namespace {

using kernels::LibtorchOperator;

constexpr double kNoDropout = 0.0;

/// What sdpa adds to its scores, or may look at; nothing where its own arguments say it.
std::optional<at::Tensor> scoreMaskOf(const AttentionInput& in, kernels::Mask mask) {
    const std::int64_t queries = in.q_BHND.size(2), keys = in.k_BHMD.size(2);
    const bool causal = mask == kernels::Mask::Causal;
    const bool biased = in.keyBias_M.defined();
    if (!biased && (!causal || queries == keys)) return std::nullopt;
    const auto device = in.q_BHND.device();
    at::Tensor visible_NM;
    if (causal) {
        visible_NM =
            at::ones({queries, keys}, at::TensorOptions(device).dtype(at::kBool)).tril(keys - queries);
        // cuDNN's kernel behind a mask of booleans gives other rows' values to queries without a key.
        const bool someSeeNoKey = queries > keys;
        if (!biased && !(someSeeNoKey && device.is_cuda())) return visible_NM;
    }
    at::Tensor bias_NM = biased ? in.keyBias_M.view({1, -1}) : at::zeros({1, keys}, device);
    if (device.is_cuda()) bias_NM = bias_NM.to(in.q_BHND.scalar_type());  // as its kernels need it
    if (causal)
        bias_NM = bias_NM.expand({queries, keys})
                      .masked_fill(visible_NM.logical_not(), -std::numeric_limits<double>::infinity());
    return bias_NM;
}

/// A backend that took the problem must take it again.
kernels::AttentionPlan possiblePlan(const kernels::BackendInfo& backend,
                                    const kernels::AttentionProblem& problem) {
    kernels::AttentionPlan plan = kernels::plan(backend, problem);
    if (!plan.obstacle.empty())
        throw Failure(ErrorCode::Internal,
                      std::string(backend.name) + " took a call before and refuses it now: " + plan.obstacle);
    return plan;
}

}  // namespace

AttentionSubject::AttentionSubject(AttentionInput input, kernels::Mask mask, kernels::KeySmoothing smoothing,
                                   const execution::Execution& execution, attention::CallSettings settings,
                                   const kernels::CallContext& context)
    : m_input(std::move(input)),
      m_mask(mask),
      m_smoothing(smoothing),
      m_execution(execution),
      m_settings(std::move(settings)),
      m_context(context),
      m_scoreMask(scoreMaskOf(m_input, mask)) {
    const std::int64_t dim = m_input.q_BHND.size(3);
    m_projL_DD = m_input.projL_DD.defined()
                     ? m_input.projL_DD
                     : at::zeros({dim, dim}, at::TensorOptions(execution.device).dtype(at::kFloat));
}

bool AttentionSubject::sharesKeyHeads() const {
    return m_input.q_BHND.size(1) != m_input.k_BHMD.size(1);
}

bool AttentionSubject::usesLibtorchsMask() const {
    return m_mask == kernels::Mask::Causal && !m_scoreMask;
}

std::optional<std::string> AttentionSubject::whyNot(const kernels::BackendInfo& backend) const {
    if (!backend.libtorch) return kernels::whyNot(backend, problemFor(backend));
    if (auto obstacle = attention::whyNot(*backend.libtorch, inputs())) return obstacle;
    if (*backend.libtorch != LibtorchOperator::Choice && m_mask == kernels::Mask::Causal &&
        !usesLibtorchsMask())
        return std::string(backend.name) + ": its causal mask is aligned at the top left, " +
               std::to_string(m_input.q_BHND.size(2)) + " queries and " +
               std::to_string(m_input.k_BHMD.size(2)) + " keys need one at the bottom right";
    return std::nullopt;
}

kernels::AttentionProblem AttentionSubject::problemFor(const kernels::BackendInfo& backend) const {
    kernels::AttentionProblem problem = attention::problemOf(m_input.q_BHND, m_input.k_BHMD, m_input.v_BHMD);
    problem.stream = m_execution.stream();
    problem.scale = static_cast<float>(scaleOf(m_input));
    problem.mask = m_mask;
    problem.keySmoothing = m_smoothing;
    problem.context = m_context;
    problem.context.options = m_settings.options.of(backend.name);
    problem.sparseLinear.topkRatio = m_settings.slaTopk;
    if (m_input.keyBias_M.defined()) problem.keyBias = m_input.keyBias_M.const_data_ptr<float>();
    if (!backend.linearBranch) return problem;
    problem.sparseLinear.projection = m_projL_DD.const_data_ptr<float>();
    if (m_input.projLBias_D.defined())
        problem.sparseLinear.bias = m_input.projLBias_D.const_data_ptr<float>();
    return problem;
}

at::Tensor AttentionSubject::run(const kernels::BackendInfo& backend, Preparation* preparation) const {
    if (backend.libtorch) return runLibtorch(*backend.libtorch);
    kernels::AttentionProblem problem = problemFor(backend);
    if (preparation != nullptr && m_execution.device.is_cpu())
        problem.preparationSeconds = &preparation->seconds;
    if (preparation != nullptr) problem.prepared = preparation->event;
    const kernels::AttentionPlan plan = possiblePlan(backend, problem);
    at::Tensor out_BHND = attention::outputOf(problem, m_input.q_BHND);
    const at::Tensor workspace = attention::workspaceOf(problem, plan, m_input.q_BHND);
    // Not where it is timed: on a GPU that is a kernel more.
    if (preparation == nullptr)
        m_kept = attention::tellsKeptShare(backend, problem.device)
                     ? attention::keptShareOf(problem, m_input.q_BHND)
                     : at::Tensor();
    plan.attend(problem);
    return out_BHND;
}

at::Tensor AttentionSubject::runGuarded(const kernels::BackendInfo& plugin) const {
    kernels::AttentionProblem problem = problemFor(plugin);
    const kernels::AttentionPlan plan = possiblePlan(plugin, problem);
    const attention::PlannedCall call{
        plan.workspaceBytes, [&](const at::Tensor& out_BHND, const at::Tensor& workspace) {
            attention::writeTo(problem, out_BHND);
            problem.workspace = workspace.defined() ? workspace.data_ptr() : nullptr;
            plan.attend(problem);
        }};
    m_kept = at::Tensor();
    return attention::PluginGuard().run(call, plugin, inputs());
}

std::optional<double> AttentionSubject::kept() const {
    return m_kept.defined() ? std::optional(m_kept.item<double>()) : std::nullopt;
}

at::Tensor AttentionSubject::runLibtorch(LibtorchOperator which) const {
    const at::Tensor &q = m_input.q_BHND, &k = m_input.k_BHMD, &v = m_input.v_BHMD;
    const std::optional<double> scale = m_input.scale;
    const bool causal = usesLibtorchsMask();
    if (which == LibtorchOperator::Cudnn)
        return std::get<0>(at::_scaled_dot_product_cudnn_attention(
            q, k, v, std::nullopt,
            /*compute_log_sumexp=*/false, kNoDropout, causal, /*return_debug_mask=*/false, scale));
    if (which == LibtorchOperator::Flash)
        return std::get<0>(at::_scaled_dot_product_flash_attention(q, k, v, kNoDropout, causal,
                                                                   /*return_debug_mask=*/false, scale));
    return at::scaled_dot_product_attention(q, k, v, m_scoreMask, kNoDropout, causal, scale,
                                            sharesKeyHeads());
}

std::string AttentionSubject::choiceOfSdpa() const {
    const auto choice = static_cast<at::SDPBackend>(
        at::_fused_sdp_choice(m_input.q_BHND, m_input.k_BHMD, m_input.v_BHMD, m_scoreMask, kNoDropout,
                              usesLibtorchsMask(), m_input.scale, sharesKeyHeads()));
    switch (choice) {
        case at::SDPBackend::flash_attention:
            return "flash";
        case at::SDPBackend::efficient_attention:
            return "mem_efficient";
        case at::SDPBackend::cudnn_attention:
            return "cudnn";
        default:
            return "math";
    }
}

}  // namespace reelgrid::benchmark
