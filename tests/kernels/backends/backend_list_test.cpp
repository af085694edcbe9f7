#include "kernels/backends/backend_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <limits>

#include "tests/kernels/attention/attention_case.h"

namespace reelgrid::kernels::test {
namespace {

TEST(BackendList, FindsEveryBackendByItsNameAndNoOther) {
    for (const auto& backend : backends()) EXPECT_EQ(findBackend(backend.name), &backend);
    EXPECT_EQ(findBackend("fav4"), nullptr);
    EXPECT_EQ(findBackend(""), nullptr);
    EXPECT_THAT(backendNames(), testing::HasSubstr("sdpa, fav2, fav3, fav3_fp8, sagev1, fav3_sage, sla, "
                                                   "sagesla, sagev2, sparge, sta, radial, cudnn, flash"));
}

TEST(BackendList, EveryBackendSaysWhatItIs) {
    for (const auto& backend : backends()) {
        EXPECT_FALSE(backend.title.empty()) << backend.name;
        EXPECT_FALSE(backend.description.empty()) << backend.name;
        EXPECT_NE(backend.method.has_value(), backend.libtorch.has_value()) << backend.name;
        EXPECT_EQ(backend.on(Device::Cpu).plan != nullptr, backend.method.has_value()) << backend.name;
    }
}

TEST(BackendList, EveryDeviceHasItsOwn) {
    const auto namesOn = [](Device device) {
        std::vector<std::string_view> names;
        for (const BackendInfo* backend : backendsOn(device)) names.push_back(backend->name);
        return names;
    };
    EXPECT_THAT(namesOn(Device::Cpu),
                testing::ElementsAre("sdpa", "fav2", "fav3", "fav3_fp8", "sagev1", "fav3_sage", "sla",
                                     "sagesla", "sagev2", "sparge", "sta", "radial"));
    EXPECT_THAT(namesOn(Device::Cuda),
                testing::ElementsAre("sdpa", "fav2", "fav3", "fav3_fp8", "sagev1", "fav3_sage", "sla",
                                     "sagesla", "sagev2", "sparge", "sta", "radial", "cudnn", "flash"));
}

TEST(BackendList, WhatIsThereByNameAloneIsNotTakenWhereNobodyNamesAny) {
    const auto names = [](const std::vector<const BackendInfo*>& found) {
        std::vector<std::string_view> listed;
        for (const BackendInfo* backend : found) listed.push_back(backend->name);
        return listed;
    };
    EXPECT_THAT(names(usualBackendsOn(Device::Cpu)), testing::Not(testing::Contains("sagev2")));
    EXPECT_THAT(names(usualBackendsOn(Device::Cpu)), testing::Contains("sagesla"));
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
        if (!backend.method || traitsOf(*backend.method, 64).needsGrid()) continue;
        double preparation = -1;
        c.problem.preparationSeconds = &preparation;
        const auto start = std::chrono::steady_clock::now();
        run(backend, c.problem);
        const std::chrono::duration<double> whole = std::chrono::steady_clock::now() - start;
        EXPECT_GT(preparation, 0) << backend.name;
        EXPECT_LT(preparation, whole.count()) << backend.name;
    }
}

/// A problem of the size of `c` that must not be looked at beyond its device.
AttentionProblem onCuda(const AttentionCase& c) {
    AttentionProblem problem = c.problem;
    problem.device = Device::Cuda;
    return problem;
}

TEST(BackendList, ADeviceWithoutAnImplementationIsNamed) {
    const AttentionCase c({1, 1, 1, 8, 8, 64}, DataType::BFloat16);
    BackendInfo onCpuAlone = *findBackend("sagev1");
    onCpuAlone.cuda = {};
    EXPECT_EQ(whyNot(onCpuAlone, onCuda(c)), "sagev1: no cuda implementation in this version");
}

TEST(BackendList, UnsmoothedKeysAreTakenByWhatCanLeaveThemAndByWhatNeverSmooths) {
    AttentionCase c({1, 1, 1, 8, 8, 64}, DataType::BFloat16);
    c.problem.keySmoothing = KeySmoothing::None;
    for (const BackendInfo* backend : backendsOn(Device::Cpu)) {
        if (!backend->method || traitsOf(*backend->method, 64).needsGrid()) continue;
        EXPECT_EQ(whyNot(*backend, c.problem), std::nullopt) << backend->name;
    }
    BackendInfo stubborn = *findBackend("fav3_sage");
    stubborn.cpu.supports.unsmoothedKeys = false;
    EXPECT_EQ(whyNot(stubborn, c.problem), "fav3_sage: always smooths its keys on cpu");
}

TEST(BackendList, WhatTheCudaKernelsCannotTakeIsNamed) {
    const AttentionCase c({1, 2, 2, 8, 8, 64}, DataType::BFloat16);
    const auto whyNotFav3 = [&](auto&& change) {
        AttentionProblem problem = onCuda(c);
        change(problem);
        return whyNot(*findBackend("fav3"), problem).value_or("");
    };
    EXPECT_EQ(whyNotFav3([](auto& p) { p.type = DataType::Float32; }),
              "fav3: dtype fp32, needs bf16 or fp16");
    EXPECT_EQ(whyNotFav3([](auto& p) { p.headDim = 257; }), "fav3: head dim 257, needs 1 to 256");
    AttentionProblem wide = onCuda(c);
    wide.headDim = 160;
    wide.queries = wide.keys = 65;
    EXPECT_EQ(whyNot(*findBackend("sagev1"), wide),
              "sagev1: head dim 160, needs at most 128 for 65 queries and 65 keys");
    EXPECT_EQ(whyNotFav3([](auto& p) { p.headDim = 60; }), "fav3: head dim 60, needs a multiple of 8");
    EXPECT_EQ(whyNotFav3([](auto& p) { p.kStrides.token = 132; }),
              "fav3: k's strides are " + std::to_string(c.problem.kStrides.batch) + ", " +
                  std::to_string(c.problem.kStrides.head) + ", 132, needs multiples of 8 elements");
    EXPECT_EQ(whyNotFav3([](auto& p) { p.v = reinterpret_cast<const void*>(0x1004); }),
              "fav3: v begins at an address that is no multiple of 16");
    EXPECT_EQ(whyNotFav3([](auto& p) { p.q = p.k = p.v = p.out = reinterpret_cast<void*>(0x1000); }),
              "fav3: the CUDA kernels are not loaded");
}

TEST(BackendList, SumsOf16BitsAreForGpus) {
    AttentionCase c({1, 1, 1, 8, 8, 64}, DataType::BFloat16);
    OptionValue bits{"sum-bits", "16"};
    c.problem.context.options = {&bits, 1};
    EXPECT_EQ(whyNot(*findBackend("sagev2"), c.problem), "sagev2: sum-bits 16, needs 32 on cpu");
    bits.value = "32";
    EXPECT_EQ(whyNot(*findBackend("sagev2"), c.problem), std::nullopt);
    bits.value = "8";
    EXPECT_EQ(whyNot(*findBackend("sagev2"), onCuda(c)), "sagev2: sum-bits 8, needs 32 or 16");
}

TEST(BackendList, AStreamIsRefusedOnTheCpu) {
    AttentionCase c({1, 1, 1, 8, 8, 64}, DataType::BFloat16);
    int stream = 0;
    c.problem.stream = &stream;
    EXPECT_THAT(whyNot(*findBackend("fav2"), c.problem).value_or(""), testing::HasSubstr("fav2: a stream"));
}

TEST(BackendList, LibtorchsOwnOperatorHasNoKernelHere) {
    const AttentionCase c({1, 1, 1, 8, 8, 64}, DataType::BFloat16);
    EXPECT_THAT(whyNot(*findBackend("sdpa"), c.problem).value_or(""), testing::HasSubstr("libtorch"));
}

}  // namespace
}  // namespace reelgrid::kernels::test
