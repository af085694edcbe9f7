#include <ATen/ATen.h>

#include <cmath>

#include "core/attention/make_dispatcher.h"
#include "tests/gpu/gpu.h"

namespace reelgrid::attention {
namespace {

class AttentionOnGpu : public OnGpu {
  protected:
    at::Tensor random(std::int64_t tokens, at::ScalarType type) const {
        return at::randn({1, tokens, 4, 128}, at::TensorOptions().device(gpu.device))
            .to(type)
            .transpose(1, 2);
    }
    static at::Tensor exact(const Inputs& in) {
        const at::Tensor q = in.q_BHND.to(at::kDouble), k = in.k_BHMD.to(at::kDouble),
                         v = in.v_BHMD.to(at::kDouble);
        return at::matmul(at::softmax(at::matmul(q, k.transpose(-2, -1)) / std::sqrt(128.0), -1), v);
    }
    protocol::CallRecord attend(const std::string& type, const Inputs& in, double tolerance) const {
        const auto dispatcher = makeDispatcher(Policy(type), gpu).value();
        const at::Tensor out = dispatcher->attend(in, {ModuleKind::Self, 0});
        EXPECT_TRUE(out.transpose(1, 2).is_contiguous());
        EXPECT_LT(relativeError(out, exact(in)), tolerance) << type;
        return dispatcher->records().at(0);
    }
};

TEST_F(AttentionOnGpu, ThePeersRunUnderTheirOwnNames) {
    for (const auto type : {at::kBFloat16, at::kHalf}) {
        const Inputs in{random(257, type), random(511, type), random(511, type), {}};
        for (const char* name : {"sdpa", "cudnn", "flash"}) {
            const auto record = attend(name, in, type == at::kHalf ? 3e-3 : 2e-2);
            EXPECT_EQ(record.used, name) << record.why;
            EXPECT_EQ(record.why, "");
        }
    }
}

TEST_F(AttentionOnGpu, WhatCannotRunFallsBackAndSaysSo) {
    const Inputs wide{random(40, at::kFloat), random(60, at::kFloat), random(60, at::kFloat), {}};
    for (const char* name : {"cudnn", "flash"}) {
        const auto record = attend(name, wide, 1e-5);
        EXPECT_EQ(record.used, "sdpa");
        EXPECT_EQ(record.why, std::string(name) + ": dtype Float, bf16 or fp16 was needed");
    }
    EXPECT_EQ(attend("sagev1", wide, 1e-5).why, "sagev1: dtype fp32, needs bf16 or fp16");
}

TEST_F(AttentionOnGpu, ThePeersGiveTheLogSumExp) {
    const auto expected = [](const Inputs& in) {
        return at::matmul(in.q_BHND.to(at::kDouble), in.k_BHMD.to(at::kDouble).transpose(-2, -1))
            .div(std::sqrt(128.0))
            .logsumexp(-1);
    };
    for (const auto type : {at::kBFloat16, at::kFloat}) {
        const Inputs in{random(257, type), random(511, type), random(511, type), {}};
        for (const char* name : {"sdpa", "cudnn", "flash", "fav2"}) {
            const Served served = serve(name, in, gpu, {.logSumExp = LogSumExp::Asked});
            EXPECT_EQ(served.used, type == at::kFloat ? "sdpa" : name) << served.why;
            EXPECT_LT(relativeError(served.lse_BHN, expected(in)), 1e-3) << name;
            EXPECT_LT(relativeError(served.out_BHND, exact(in)), 2e-2) << name;
        }
    }
}

TEST_F(AttentionOnGpu, AKeyBiasReachesSdpa) {
    Inputs in{random(64, at::kHalf), random(33, at::kHalf), random(33, at::kHalf), {}};
    const at::Tensor ends =
        at::full({33}, -std::numeric_limits<float>::infinity(), at::TensorOptions().device(gpu.device));
    ends.narrow(0, 0, 20).zero_();
    const Inputs cut{in.q_BHND, in.k_BHMD.narrow(2, 0, 20), in.v_BHMD.narrow(2, 0, 20), {}};
    in.keyBias_M = ends;
    const auto dispatcher = makeDispatcher(Policy("sdpa"), gpu).value();
    EXPECT_LT(relativeError(dispatcher->attend(in, {ModuleKind::Cross, 0}), exact(cut)), 3e-3);
}

}  // namespace
}  // namespace reelgrid::attention
