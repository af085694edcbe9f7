#include <ATen/ATen.h>

#include <cmath>

#include "core/attention/make_dispatcher.h"
#include "core/attention/serve.h"
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

/// A part of the keys with the mean and the maxima of all: the scores are those of the whole, and so is the
/// merged log-sum-exp but for fp32 sums; weights are rounded relative to each part's largest.
TEST_F(AttentionOnGpu, PartsQuantiseAsTheWholeWithItsStatistics) {
    constexpr std::int64_t kKeys = 3584;  // two times whole blocks of every method
    Inputs in{random(257, at::kBFloat16), random(kKeys, at::kBFloat16), random(kKeys, at::kBFloat16), {}};
    in.k_BHMD.narrow(2, 0, kKeys / 2).add_(0.75);
    in.v_BHMD.narrow(2, 0, kKeys / 2).mul_(2);
    const auto mergedOf = [&](const std::string& backend, const Inputs& of, std::int64_t cut) {
        at::Tensor lse, out;
        for (const auto& [begin, end] : {std::pair<std::int64_t, std::int64_t>{0, cut}, {cut, kKeys}}) {
            if (begin == end) continue;
            Inputs part = of;
            part.k_BHMD = of.k_BHMD.narrow(2, begin, end - begin);
            part.v_BHMD = of.v_BHMD.narrow(2, begin, end - begin);
            const Served served = serve(backend, part, gpu, {.logSumExp = LogSumExp::Asked});
            EXPECT_EQ(served.used, backend) << served.why;
            const at::Tensor l = served.lse_BHN.to(at::kDouble), o = served.out_BHND.to(at::kDouble);
            if (!lse.defined()) {
                lse = l, out = o;
                continue;
            }
            const at::Tensor both = at::logaddexp(lse, l);
            out = out * at::exp(lse - both).unsqueeze(-1) + o * at::exp(l - both).unsqueeze(-1);
            lse = both;
        }
        return std::pair{lse, out};
    };
    Inputs given = in;
    given.keyMean_BHD = in.k_BHMD.to(at::kDouble).mean(2).to(at::kFloat).contiguous();
    given.valueMaxima_BHD = in.v_BHMD.abs().amax(2).to(at::kFloat).contiguous();
    for (const std::string backend : {"sagev1", "fav3_sage", "fav3_fp8"}) {
        if (serve(backend, in, gpu).used != backend) continue;  // fav3's need Hopper
        const auto [lse, out] = mergedOf(backend, in, 0);
        const auto most = [lse = lse](const at::Tensor& other) {
            return (other - lse).abs().max().item<double>();
        };
        const auto [with, outWith] = mergedOf(backend, given, kKeys / 2);
        const auto [without, outWithout] = mergedOf(backend, in, kKeys / 2);
        std::printf("%s: log-sum-exp off by %.2g with the whole's statistics, %.2g without\n",
                    backend.c_str(), most(with), most(without));
        EXPECT_LE(most(with), 1e-3) << backend;
        if (backend != "fav3_fp8") {
            EXPECT_LT(most(with), most(without)) << backend;
        }
        // Weights of four bits of mantissa, rounded otherwise in each part: 0.05 to 0.063 in 21 runs.
        EXPECT_LE(relativeError(outWith, out), backend == "sagev1" ? 2e-2 : 8e-2) << backend;
        const auto [lseOfAll, outOfAll] = mergedOf(backend, given, 0);
        EXPECT_LE(most(lseOfAll), 1e-4) << backend << ": of all keys they are its own";
        EXPECT_LE(relativeError(outOfAll, out), 1e-2) << backend;
    }
}

}  // namespace
}  // namespace reelgrid::attention
