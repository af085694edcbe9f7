// Attention over ranges of keys, merged, against attention over all of them: for every backend that returns
// the log-sum-exp, each measured by the error of its own single run.

#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "kernels/attention/merge_partials.h"
#include "kernels/backends/backend_list.h"
#include "tests/kernels/attention/attention_case.h"
#include "tests/kernels/instruction_sets.h"

namespace reelgrid::kernels::test {
namespace {

constexpr DataType kMergedTypes[] = {DataType::Float32, DataType::BFloat16, DataType::Float16};

std::vector<BackendInfo> mergeable() {
    std::vector<BackendInfo> found;
    for (const auto& backend : backends())
        if (backend.cpu.supports.logSumExp) found.push_back(backend);
    return found;
}

/// Owns the running result for the queries of a problem, and the memory of its parts.
class Merge {
  public:
    explicit Merge(const AttentionProblem& whole)
        : m_whole(whole),
          m_out(static_cast<std::size_t>(whole.batch * whole.queryHeads * whole.queries * whole.headDim)),
          m_lse(static_cast<std::size_t>(whole.batch * whole.queryHeads * whole.queries)) {
        m_merged.out = m_out.data();
        m_merged.lse = m_lse.data();
        m_merged.strides = {.batch = whole.queryHeads * whole.queries * whole.headDim,
                            .head = whole.queries * whole.headDim,
                            .token = whole.headDim};
        m_merged.batch = whole.batch;
        m_merged.heads = whole.queryHeads;
        m_merged.queries = whole.queries;
        m_merged.headDim = whole.headDim;
        startMerge(m_merged);
    }

    /// Runs the queries [firstQuery, firstQuery + queries) over the keys [firstKey, firstKey + keys) as a
    /// problem of their own.
    void add(const BackendInfo& backend, std::int64_t firstQuery, std::int64_t queries, std::int64_t firstKey,
             std::int64_t keys, Mask mask) {
        AttentionProblem p = m_whole;
        const std::int64_t bytes = sizeOf(p.type);
        p.q = static_cast<const char*>(p.q) + firstQuery * p.qStrides.token * bytes;
        p.k = static_cast<const char*>(p.k) + firstKey * p.kStrides.token * bytes;
        p.v = static_cast<const char*>(p.v) + firstKey * p.vStrides.token * bytes;
        p.queries = queries;
        p.keys = keys;
        p.mask = mask;
        const std::int64_t rows = p.batch * p.queryHeads * queries;
        std::vector<std::uint8_t> out(static_cast<std::size_t>(rows * p.headDim * bytes), 0xFF);
        std::vector<float> lse(static_cast<std::size_t>(rows), std::nanf(""));
        p.out = out.data();
        p.outStrides = {.batch = p.queryHeads * queries * p.headDim,
                        .head = p.headDim,  // tokens first, unlike the merged rows
                        .token = p.queryHeads * p.headDim};
        p.lse = lse.data();
        ASSERT_EQ(whyNot(backend, p), std::nullopt);
        run(backend, p);
        AttentionPart part;
        part.out = out.data();
        part.lse = lse.data();
        part.type = p.type;
        part.strides = p.outStrides;
        part.firstQuery = firstQuery;
        part.queries = queries;
        mergePart(m_merged, part);
    }

    [[nodiscard]] std::vector<double> out() const { return {m_out.begin(), m_out.end()}; }
    [[nodiscard]] std::vector<double> lse() const { return {m_lse.begin(), m_lse.end()}; }

  private:
    const AttentionProblem& m_whole;
    std::vector<float> m_out, m_lse;
    MergedAttention m_merged;
};

/// Largest |a − b|; −inf must meet −inf.
double lseError(const std::vector<double>& a, const std::vector<double>& b) {
    double worst = 0;
    for (std::size_t i = 0; i < b.size(); ++i) {
        if (std::isinf(b[i]) && a.at(i) == b[i]) continue;
        const double error = std::abs(a.at(i) - b[i]) / std::max(1.0, std::abs(b[i]));
        if (!(error <= worst)) worst = error;
    }
    return worst;
}

/// Merging costs no more than half the backend's own error again and a rounding of each part.
void expectAsGoodAsOneRun(AttentionCase& c, const BackendInfo& backend, const Merge& merge,
                          const std::string& where) {
    const ReferenceResult truth = referenceAttention(c.problem);
    c.withLse();
    run(backend, c.problem);
    const auto single = c.output();
    const double rounding = roundingOf(c.problem.type) * largest(truth.out);
    const double allowed = 1.5 * rootMeanSquareError(single, truth.out) + rounding;
    EXPECT_TRUE(allFinite(merge.out())) << where;
    EXPECT_LE(rootMeanSquareError(merge.out(), truth.out), allowed) << where;
    EXPECT_LE(rootMeanSquareError(merge.out(), single), 2 * allowed) << where;
    EXPECT_LE(1 - cosine(merge.out(), truth.out), 2 * (1 - cosine(single, truth.out)) + 1e-4) << where;
    const std::vector<double> singleLse(c.lse.begin(), c.lse.end());
    EXPECT_LE(lseError(merge.lse(), truth.lse), 2 * lseError(singleLse, truth.lse) + 1e-5) << where;
}

class MergedBackend : public OnInstructionSet,
                      public testing::WithParamInterface<std::tuple<BackendInfo, InstructionSet>> {
  protected:
    void SetUp() override { forceOrSkip(std::get<1>(GetParam())); }

    static const BackendInfo& backend() { return std::get<0>(GetParam()); }

    /// Splits the keys.
    static void expectMerges(AttentionCase& c, std::span<const std::int64_t> counts) {
        Merge merge(c.problem);
        std::int64_t first = 0;
        for (const std::int64_t count : counts) {
            merge.add(backend(), 0, c.problem.queries, first, count, Mask::None);
            first += count;
        }
        ASSERT_EQ(first, c.problem.keys);
        expectAsGoodAsOneRun(c, backend(), merge, c.name() + " in " + std::to_string(counts.size()));
    }
};
INSTANTIATE_TEST_SUITE_P(Every, MergedBackend,
                         testing::Combine(testing::ValuesIn(mergeable()),
                                          testing::ValuesIn(kInstructionSets)),
                         nameOfMethodAndSet);

TEST(MergedBackends, EveryDenseBackendOfOursReturnsTheLogSumExp) {
    for (const char* name : {"fav2", "fav3", "fav3_fp8", "sagev1", "fav3_sage"})
        EXPECT_TRUE(findBackend(name)->cpu.supports.logSumExp) << name;
}

TEST_P(MergedBackend, TwoThreeAndUnequalPartsAreTheWhole) {
    for (const auto type : kMergedTypes)
        for (const std::int64_t dim : {64, 128}) {
            AttentionCase c({1, 2, 2, 113, 260, dim}, type);
            for (const auto& counts : std::vector<std::vector<std::int64_t>>{
                     {130, 130}, {87, 87, 86}, {200, 59, 1}, {1, 259}, {64, 3, 128, 65}})
                expectMerges(c, counts);
        }
}

TEST_P(MergedBackend, PartsOfEveryInputFamilyAreTheWhole) {
    for (const auto type : kMergedTypes)
        for (const auto family : {Family::OutlierChannels, Family::Sink}) {
            AttentionCase c({1, 1, 1, 70, 200, 64}, type, family);
            expectMerges(c, std::vector<std::int64_t>{100, 99, 1});
        }
}

TEST_P(MergedBackend, BatchesAndSharedKeyHeadsStayApart) {
    for (const auto layout : {Layout::HeadsFirst, Layout::TokensFirst}) {
        AttentionCase c({2, 6, 2, 65, 140, 64}, DataType::BFloat16, Family::Normal, layout);
        expectMerges(c, std::vector<std::int64_t>{75, 65});
    }
}

TEST_P(MergedBackend, EachPartCountsItsOwnMeanBackIn) {
    // Smoothing takes another mean from every part: left out of the log-sum-exp, it would shift the weights.
    for (const auto type : kMergedTypes) {
        AttentionCase c({1, 2, 1, 90, 210, 64}, type, Family::KeyBias);
        expectMerges(c, std::vector<std::int64_t>{100, 110});
        expectMerges(c, std::vector<std::int64_t>{140, 69, 1});
    }
}

TEST_P(MergedBackend, PartsWhoseKeysLieFarApartKeepTheirWeights) {
    // The second half of the keys is moved by a constant: the parts' log-sum-exps differ by up to ±16.
    AttentionCase c({1, 1, 1, 80, 192, 64}, DataType::Float32);
    auto* k = reinterpret_cast<float*>(c.k.data());
    for (std::size_t i = std::size_t{96} * 64; i < c.k.size() / 4; ++i) k[i] += i % 2 == 0 ? 4.0F : -3.0F;
    expectMerges(c, std::vector<std::int64_t>{96, 96});
}

TEST_P(MergedBackend, CausalRingChunksAreTheWhole) {
    // Each device holds a chunk of the tokens. Its queries see earlier chunks whole, their own one causally
    // (as many queries as keys: aligned alike at either corner), later ones not at all.
    ASSERT_TRUE(backend().cpu.supports.causal);
    for (const auto type : kMergedTypes) {
        AttentionCase c({1, 2, 1, 200, 200, 64}, type, Family::Normal, Layout::TokensFirst, Mask::Causal);
        constexpr std::pair<std::int64_t, std::int64_t> kChunks[] = {{0, 70}, {70, 129}, {199, 1}};
        Merge merge(c.problem);
        for (const auto& [firstQuery, queries] : kChunks)
            for (const auto& [firstKey, keys] : kChunks)
                if (firstKey <= firstQuery)
                    merge.add(backend(), firstQuery, queries, firstKey, keys,
                              firstKey == firstQuery ? Mask::Causal : Mask::None);
        expectAsGoodAsOneRun(c, backend(), merge, c.name());
    }
}

TEST_P(MergedBackend, QueriesFromWhichAChunkIsHiddenGainNothingFromIt) {
    // Aligned at the bottom right, the queries before the last key of a chunk run as one causal problem, in
    // which those before its first key see nothing.
    ASSERT_TRUE(backend().cpu.supports.causal);
    AttentionCase c({1, 2, 1, 180, 180, 64}, DataType::BFloat16, Family::Normal, Layout::TokensFirst,
                    Mask::Causal);
    Merge merge(c.problem);
    for (const auto& [first, keys] : std::vector<std::pair<std::int64_t, std::int64_t>>{
             {120, 60}, {50, 70}, {0, 50}}) {  // hidden chunks first
        merge.add(backend(), 0, first + keys, first, keys, Mask::Causal);
        if (first + keys < c.problem.queries)
            merge.add(backend(), first + keys, c.problem.queries - first - keys, first, keys, Mask::None);
        for (std::int64_t i = 0; first == 120 && i < first; ++i)
            ASSERT_EQ(merge.lse()[static_cast<std::size_t>(i)], -HUGE_VAL) << i;
    }
    expectAsGoodAsOneRun(c, backend(), merge, c.name());
}

}  // namespace
}  // namespace reelgrid::kernels::test
