#include "core/benchmark/attention_benchmark.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>

#include "core/benchmark/statistics.h"

namespace reelgrid::benchmark {
namespace {

constexpr std::uint64_t kSeed = 42;
constexpr double kSecondsAKernel = 1;
constexpr double kFewest = 7, kMost = 301;

at::ScalarType scalarType(kernels::DataType type) {
    switch (type) {
        case kernels::DataType::Float32:
            return at::kFloat;
        case kernels::DataType::BFloat16:
            return at::kBFloat16;
        case kernels::DataType::Float16:
            break;
    }
    return at::kHalf;
}

double now(Clock clock) {
    if (clock == Clock::Processor) return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

kernels::Strides stridesOf(const at::Tensor& x_BHND) {
    return {.batch = x_BHND.stride(0), .head = x_BHND.stride(1), .token = x_BHND.stride(2)};
}

/// The tensors of a case, and ways to run it.
class Subject {
  public:
    explicit Subject(const AttentionCase& wanted) : m_mask(wanted.mask) {
        const AttentionShape& s = wanted.shape;
        at::Generator generator = at::detail::createCPUGenerator(kSeed);
        const auto random = [&](std::int64_t tokens) {
            return at::randn({s.batch, tokens, s.heads, s.headDim}, generator, at::kFloat)
                .to(scalarType(wanted.type))
                .transpose(1, 2);
        };
        q_BHND = random(s.queries);
        k_BHMD = random(s.keys);
        v_BHMD = random(s.keys);
        zeros_DD = at::zeros({s.headDim, s.headDim});
        // libtorch aligns its causal mask at the top left.
        if (m_mask == kernels::Mask::Causal && s.queries != s.keys)
            m_visible_NM = at::ones({s.queries, s.keys}, at::kBool).tril(s.keys - s.queries);
    }

    [[nodiscard]] kernels::AttentionProblem problem() const {
        kernels::AttentionProblem p;
        p.q = q_BHND.const_data_ptr();
        p.k = k_BHMD.const_data_ptr();
        p.v = v_BHMD.const_data_ptr();
        p.type = q_BHND.scalar_type() == at::kFloat      ? kernels::DataType::Float32
                 : q_BHND.scalar_type() == at::kBFloat16 ? kernels::DataType::BFloat16
                                                         : kernels::DataType::Float16;
        p.batch = q_BHND.size(0);
        p.queryHeads = p.keyHeads = q_BHND.size(1);
        p.queries = q_BHND.size(2);
        p.keys = k_BHMD.size(2);
        p.headDim = q_BHND.size(3);
        p.qStrides = stridesOf(q_BHND);
        p.kStrides = stridesOf(k_BHMD);
        p.vStrides = stridesOf(v_BHMD);
        p.scale = static_cast<float>(1 / std::sqrt(static_cast<double>(p.headDim)));
        p.mask = m_mask;
        p.threads = at::get_num_threads();
        p.sparseLinear.projection = zeros_DD.const_data_ptr<float>();
        return p;
    }

    [[nodiscard]] at::Tensor sdpa() const {
        const bool square = m_mask == kernels::Mask::Causal && !m_visible_NM.defined();
        return at::scaled_dot_product_attention(
            q_BHND, k_BHMD, v_BHMD,
            m_visible_NM.defined() ? std::optional<at::Tensor>(m_visible_NM) : std::nullopt,
            /*dropout_p=*/0.0, /*is_causal=*/square);
    }

    at::Tensor q_BHND, k_BHMD, v_BHMD;
    /// sla's proj_l as it is before training: its linear branch costs what it costs and adds nothing.
    at::Tensor zeros_DD;

  private:
    kernels::Mask m_mask;
    at::Tensor m_visible_NM;
};

/// One kernel's turns.
class Contender {
  public:
    Contender(const kernels::BackendInfo& backend, const Subject& subject)
        : m_backend(backend), m_subject(subject) {
        if (backend.run != nullptr) m_why = kernels::whyNot(backend, subject.problem());
    }

    [[nodiscard]] bool runs() const { return !m_why; }

    /// `preparationSeconds` as AttentionProblem has it; untouched by sdpa.
    at::Tensor run(double* preparationSeconds = nullptr) const {
        if (m_backend.run == nullptr) return m_subject.sdpa();
        const at::Tensor& q = m_subject.q_BHND;
        const at::Tensor out_BNHD = at::empty({q.size(0), q.size(2), q.size(1), q.size(3)}, q.options());
        at::Tensor out_BHND = out_BNHD.transpose(1, 2);
        kernels::AttentionProblem problem = m_subject.problem();
        problem.out = out_BHND.data_ptr();
        problem.outStrides = stridesOf(out_BHND);
        problem.preparationSeconds = preparationSeconds;
        m_backend.run(problem);
        return out_BHND;
    }

    void warmUp(const Float64Attention& truth) { m_accuracy = truth.accuracyOf(run()); }

    void takeTurn(Clock clock) {
        double preparation = 0;  // sdpa quantises nothing
        const double start = now(clock);
        const at::Tensor out_BHND = run(&preparation);
        const double spent = now(clock) - start;
        m_seconds.push_back(spent);
        if (clock == Clock::Wall) m_kernelSeconds.push_back(spent - preparation);
    }

    /// `sdpa` stands in when this one doesn't run.
    [[nodiscard]] AttentionRow row(const Contender& sdpa) const {
        const Contender& measured = runs() ? *this : sdpa;
        AttentionRow row;
        row.kernel = m_backend.name;
        row.used = measured.m_backend.name;
        row.why = m_why.value_or("");
        row.p50 = median(measured.m_seconds);
        row.p95 = percentile(measured.m_seconds, 0.95);
        row.best = percentile(measured.m_seconds, 0);
        if (!measured.m_kernelSeconds.empty()) row.kernelP50 = median(measured.m_kernelSeconds);
        row.repetitions = static_cast<int>(measured.m_seconds.size());
        row.accuracy = measured.m_accuracy;
        // A kernel that leaves pairs out has no log-sum-exp of them to return; every other one of ours has.
        row.dense = measured.m_backend.run == nullptr || measured.m_backend.logSumExp;
        return row;
    }

  private:
    const kernels::BackendInfo& m_backend;
    const Subject& m_subject;
    std::optional<std::string> m_why;
    std::vector<double> m_seconds, m_kernelSeconds;
    Accuracy m_accuracy;
};

}  // namespace

std::vector<AttentionRow> measureAttention(const AttentionCase& wanted, const Progress& progress) {
    const Subject subject(wanted);
    std::vector<Contender> contenders{{*kernels::findBackend("sdpa"), subject}};
    for (const auto* backend : wanted.backends)
        if (backend->run != nullptr) contenders.emplace_back(*backend, subject);

    progress(0, wanted.repetitions, -1);
    {
        const Float64Attention truth(subject.q_BHND, subject.k_BHMD, subject.v_BHMD, wanted.mask);
        for (Contender& contender : contenders)
            if (contender.runs()) contender.warmUp(truth);
    }
    const auto round = [&] {
        const double start = now(Clock::Wall);
        for (Contender& contender : contenders)
            if (contender.runs()) contender.takeTurn(wanted.clock);
        return now(Clock::Wall) - start;
    };
    double spent = round();
    const double budget = kSecondsAKernel * static_cast<double>(contenders.size());
    const int rounds = wanted.repetitions > 0 ? wanted.repetitions
                                              : static_cast<int>(std::clamp(budget / spent, kFewest, kMost));
    for (int done = 1; done < rounds; ++done) {
        progress(done, rounds, spent / done * (rounds - done));
        spent += round();
    }
    std::vector<AttentionRow> rows;
    for (const Contender& contender : contenders) rows.push_back(contender.row(contenders.front()));
    return rows;
}

}  // namespace reelgrid::benchmark
