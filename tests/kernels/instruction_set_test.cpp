#include "kernels/cpu/instruction_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "kernels/cpu/attention/attention_cpu.h"
#include "kernels/cpu/attention/tile_kernels.h"
#include "tests/kernels/attention/attention_case.h"
#include "tests/kernels/instruction_sets.h"

namespace reelgrid::kernels::test {
namespace {

std::string refusalOf(const std::string& value, Products products) {
    const ForcedInstructionSet forced(value);
    try {
        static_cast<void>(selectedInstructionSet(products));
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    return "";
}

TEST(InstructionSet, ForcingIsObeyedOrRefused) {
    for (const auto products : {Products::Narrow, Products::Fp32})
        for (const auto set : kInstructionSets) {
            if (set <= bestInstructionSet()) {
                const ForcedInstructionSet forced(set);
                EXPECT_EQ(selectedInstructionSet(products), set);
            } else {
                EXPECT_EQ(refusalOf(nameOf(set), products), std::string("REELGRID_CPU=") + nameOf(set) +
                                                                ": this machine runs " +
                                                                nameOf(bestInstructionSet()) + " at most");
            }
        }
}

TEST(InstructionSet, AnUnknownOneIsRefused) {
    for (const auto products : {Products::Narrow, Products::Fp32})
        EXPECT_EQ(refusalOf("sse9", products), "REELGRID_CPU=sse9: must be scalar, avx2, avx512 or amx");
}

TEST(InstructionSet, AnEmptyValueForcesNothing) {
    const ForcedInstructionSet forced("");
    EXPECT_EQ(selectedInstructionSet(), bestInstructionSet());
}

TEST(InstructionSet, TheBestFollowsFromTheProcessor) {
    ProcessorFeatures features;
    const auto best = [&](Products products) { return bestInstructionSet(products, features); };
    EXPECT_EQ(best(Products::Narrow), InstructionSet::Portable);
    EXPECT_EQ(best(Products::Fp32), InstructionSet::Portable);
    features.avx2 = true;
    EXPECT_EQ(best(Products::Narrow), InstructionSet::Avx2);
    EXPECT_EQ(best(Products::Fp32), InstructionSet::Avx2);
    features.avx512 = true;  // Skylake-SP
    EXPECT_EQ(best(Products::Narrow), InstructionSet::Avx2);
    EXPECT_EQ(best(Products::Fp32), InstructionSet::Avx512);
    features.narrowProducts = true;  // Zen 4
    EXPECT_EQ(best(Products::Narrow), InstructionSet::Avx512);
    features.tiles = true;  // Sapphire Rapids
    EXPECT_EQ(best(Products::Narrow), InstructionSet::Amx);
    EXPECT_EQ(best(Products::Fp32), InstructionSet::Amx);
}

TEST(InstructionSet, MatrixTilesMultiplyWhatTheyCan) {
    // Making AMX's table takes AVX-512 code, running it takes the tiles.
    if (const std::string why = whyLacking(InstructionSet::Avx512); !why.empty()) GTEST_SKIP() << why;
    const auto lanesOf = [](Method method, DataType type) {
        return cpu::tileKernelsFor(InstructionSet::Amx, method, type).instructionSet;
    };
    for (const auto method : {Method::Sage1, Method::Flash3Sage, Method::Flash3Fp8})
        for (const auto type : {DataType::Float32, DataType::BFloat16, DataType::Float16})
            EXPECT_EQ(lanesOf(method, type), InstructionSet::Amx);
    for (const auto method : {Method::Flash, Method::Flash3, Method::SparseLinear}) {
        EXPECT_EQ(lanesOf(method, DataType::BFloat16), InstructionSet::Amx);
        EXPECT_EQ(lanesOf(method, DataType::Float32), InstructionSet::Avx512);
        EXPECT_EQ(lanesOf(method, DataType::Float16), InstructionSet::Avx512);
    }
}

class ForcedVariant : public OnInstructionSet, public testing::WithParamInterface<InstructionSet> {
  protected:
    void SetUp() override { forceOrSkip(GetParam()); }

    static std::vector<double> fav2On(InstructionSet set, DataType type) {
        const ForcedInstructionSet forced(set);
        AttentionCase c({1, 1, 1, 200, 300, 128}, type);
        cpu::attend(Method::Flash, c.problem);
        return c.output();
    }
};
INSTANTIATE_TEST_SUITE_P(Kernels, ForcedVariant,
                         testing::Values(InstructionSet::Avx2, InstructionSet::Avx512, InstructionSet::Amx),
                         [](const auto& each) { return std::string(nameOf(each.param)); });

TEST_P(ForcedVariant, HasTablesOfItsOwn) {
    EXPECT_EQ(cpu::tileKernelsFor(GetParam(), Method::Flash, DataType::BFloat16).instructionSet, GetParam());
}

TEST_P(ForcedVariant, RunsOtherCodeThanTheOneBefore) {
    // Equal bits would mean that one variant ran for both. fp32 can't tell AVX-512 from AVX2 (the same
    // arithmetic in the same order) or from AMX (it is AVX-512's there): bf16 does, whose products AVX2 sums
    // one by one, AVX-512 in pairs and AMX in tiles.
    const auto before = static_cast<InstructionSet>(static_cast<int>(GetParam()) - 1);
    EXPECT_NE(fav2On(GetParam(), DataType::BFloat16), fav2On(before, DataType::BFloat16));
}

}  // namespace
}  // namespace reelgrid::kernels::test
