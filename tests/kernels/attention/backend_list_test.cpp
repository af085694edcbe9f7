#include "kernels/attention/backend_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <stdexcept>

#include "kernels/cpu/attention/attention_cpu.h"
#include "tests/kernels/attention/attention_case.h"

namespace reelgrid::kernels::test {
namespace {

TEST(BackendList, FindsEveryBackendByItsNameAndNoOther) {
    for (const auto& backend : backends()) EXPECT_EQ(findBackend(backend.name), &backend);
    EXPECT_EQ(findBackend("flash"), nullptr);
    EXPECT_EQ(findBackend(""), nullptr);
    EXPECT_THAT(backendNames(), testing::HasSubstr("sdpa, fav2, fav3, fav3_fp8, sagev1, fav3_sage, sla"));
}

TEST(BackendList, EveryBackendSaysWhatItIs) {
    for (const auto& backend : backends()) {
        EXPECT_FALSE(backend.title.empty()) << backend.name;
        EXPECT_FALSE(backend.description.empty()) << backend.name;
        EXPECT_EQ(backend.run == nullptr, backend.name == "sdpa");
    }
}

TEST(BackendList, NamesTheReasonAndTheValueOfWhatItCannotRun) {
    const auto& fav2 = *findBackend("fav2");
    AttentionCase c({1, 4, 2, 10, 10, 64}, DataType::BFloat16);
    EXPECT_EQ(whyNot(fav2, c.problem), std::nullopt);

    AttentionProblem wide = c.problem;
    wide.headDim = 257;
    EXPECT_EQ(whyNot(fav2, wide), "fav2: head dim 257, needs 1 to 256");
    AttentionProblem uneven = c.problem;
    uneven.keyHeads = 3;
    EXPECT_THAT(whyNot(fav2, uneven).value_or(""), testing::HasSubstr("4 query heads"));
    AttentionProblem empty = c.problem;
    empty.keys = 0;
    EXPECT_THAT(whyNot(fav2, empty).value_or(""), testing::HasSubstr("keys 0"));
    for (const float scale :
         {0.0F, -1.0F, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
        AttentionProblem odd = c.problem;
        odd.scale = scale;
        EXPECT_THAT(whyNot(fav2, odd).value_or(""), testing::HasSubstr("scale")) << scale;
    }
}

TEST(BackendList, EveryBackendTellsHowLongItPrepared) {
    AttentionCase c({1, 2, 1, 40, 2000, 64}, DataType::BFloat16);
    for (const auto& backend : backends()) {
        if (backend.run == nullptr) continue;
        double preparation = -1;
        c.problem.preparationSeconds = &preparation;
        const auto start = std::chrono::steady_clock::now();
        backend.run(c.problem);
        const std::chrono::duration<double> whole = std::chrono::steady_clock::now() - start;
        EXPECT_GT(preparation, 0) << backend.name;
        EXPECT_LT(preparation, whole.count()) << backend.name;
    }
}

TEST(InstructionSet, ForcingIsObeyedOrRefused) {
    for (const auto set : instructionSets()) {
        const ForcedInstructionSet forced(set);
        EXPECT_EQ(selectedInstructionSet(), set);
    }
    for (const auto set : {InstructionSet::Avx2, InstructionSet::Avx512, InstructionSet::Amx}) {
        if (set <= bestInstructionSet()) continue;
        const ForcedInstructionSet forced(set);
        EXPECT_THROW(static_cast<void>(selectedInstructionSet()), std::runtime_error);
    }
    const ForcedInstructionSet forced("sse9");
    try {
        static_cast<void>(selectedInstructionSet());
        FAIL() << "sse9 was accepted";
    } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "REELGRID_CPU=sse9: must be scalar, avx2, avx512 or amx");
    }
}

TEST(InstructionSet, ForcingChangesTheCodeThatRuns) {
    // The portable 2^x differs from the others' in the last bits: equal results would mean that one variant
    // ran for both. (AVX2 and AVX-512 do the same arithmetic in the same order, and agree.)
    if (bestInstructionSet() == InstructionSet::Portable) GTEST_SKIP() << "this machine has one variant only";
    AttentionCase c({1, 1, 1, 200, 300, 128}, DataType::Float32);
    std::vector<std::vector<double>> results;
    for (const auto set : instructionSets()) {
        const ForcedInstructionSet forced(set);
        cpu::fav2(c.problem);
        results.push_back(c.output());
    }
    for (std::size_t i = 1; i < results.size(); ++i) EXPECT_NE(results[i], results.front());
}

}  // namespace
}  // namespace reelgrid::kernels::test
