#include "core/benchmark/attention_benchmark.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

#include <algorithm>
#include <chrono>
#include <ctime>

#include "core/attention/attention_problem.h"
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

    [[nodiscard]] kernels::AttentionProblem problemFor(const kernels::BackendInfo& backend) const {
        kernels::AttentionProblem problem = attention::problemOf(q_BHND, k_BHMD, v_BHMD);
        problem.mask = m_mask;
        if (backend.linearBranch) problem.sparseLinear.projection = zeros_DD.const_data_ptr<float>();
        return problem;
    }

    [[nodiscard]] at::Tensor sdpa() const {
        const bool square = m_mask == kernels::Mask::Causal && !m_visible_NM.defined();
        return at::scaled_dot_product_attention(
            q_BHND, k_BHMD, v_BHMD,
            m_visible_NM.defined() ? std::optional<at::Tensor>(m_visible_NM) : std::nullopt,
            /*dropout_p=*/0.0, /*is_causal=*/square);
    }

    at::Tensor q_BHND, k_BHMD, v_BHMD;
    /// proj_l as it is before training: a linear branch costs what it costs and adds nothing.
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
        if (backend.method) m_why = kernels::whyNot(backend, subject.problemFor(backend));
    }

    [[nodiscard]] bool runs() const { return !m_why; }

    /// `preparationSeconds` as AttentionProblem has it; untouched by sdpa.
    at::Tensor run(double* preparationSeconds = nullptr) const {
        if (!m_backend.method) return m_subject.sdpa();
        kernels::AttentionProblem problem = m_subject.problemFor(m_backend);
        problem.preparationSeconds = preparationSeconds;
        at::Tensor out_BHND = attention::outputOf(problem, m_subject.q_BHND);
        kernels::run(m_backend, problem);
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
        row.dense = !measured.m_backend.sparse;
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
        if (backend->method) contenders.emplace_back(*backend, subject);

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
