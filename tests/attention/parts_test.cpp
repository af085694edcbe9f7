#include <gmock/gmock.h>

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/attention/make_dispatcher.h"
#include "core/attention/serve.h"
#include "kernels/backends/backend_list.h"

namespace reelgrid::attention {
namespace {

constexpr std::int64_t kQueries = 70, kKeys = 300, kHeads = 2, kHeadDim = 64;

Inputs randomInputs(at::ScalarType dtype) {
    const auto make = [&](std::int64_t tokens, double bias) {
        return (at::randn({1, tokens, kHeads, kHeadDim}) + bias).to(dtype).transpose(1, 2);
    };
    at::manual_seed(5);
    return {make(kQueries, 0), make(kKeys, 0.5), make(kKeys, 0), {}};
}

at::Tensor exact(const Inputs& in) {
    const at::Tensor scores = in.q_BHND.to(at::kDouble).matmul(in.k_BHMD.to(at::kDouble).transpose(-2, -1)) /
                              std::sqrt(double(kHeadDim));
    return scores.softmax(-1).matmul(in.v_BHMD.to(at::kDouble));
}

double errorOf(const at::Tensor& got, const at::Tensor& wanted) {
    return ((got.to(at::kDouble) - wanted).norm() / wanted.norm()).item<double>();
}

/// Whole, and in three parts of unequal length.
struct Errors {
    double whole, inParts;
};

Errors errorsOf(const std::string& backend, at::ScalarType dtype) {
    const Inputs in = randomInputs(dtype);
    const auto dispatcher = makeDispatcher(backend).value();
    const CallSite site{ModuleKind::Self, 0};
    std::vector<std::pair<std::int64_t, std::int64_t>> spans{{0, 128}, {128, 1}, {129, kKeys - 129}};
    std::size_t next = 0;
    const auto parts = [&]() -> std::optional<Inputs> {
        if (next == spans.size()) return std::nullopt;
        Inputs part = in;
        const auto [begin, count] = spans[next++];
        part.k_BHMD = in.k_BHMD.narrow(2, begin, count);
        part.v_BHMD = in.v_BHMD.narrow(2, begin, count);
        return part;
    };
    const at::Tensor inParts = dispatcher->attendInParts(parts, site);
    EXPECT_EQ(inParts.scalar_type(), dtype);
    EXPECT_TRUE(inParts.transpose(1, 2).is_contiguous());
    EXPECT_EQ(dispatcher->records().size(), 1u);
    EXPECT_EQ(dispatcher->records().front().calls, 1);
    EXPECT_EQ(dispatcher->records().front().used, backend);
    const at::Tensor wanted = exact(in);
    return {errorOf(dispatcher->attend(in, site), wanted), errorOf(inParts, wanted)};
}

TEST(AttendInParts, IsExactForBackendsThatAre) {
    for (const char* backend : {"sdpa", "fav2", "fav3"}) {
        const Errors errors = errorsOf(backend, at::kFloat);
        EXPECT_LT(errors.inParts, 1e-6) << backend;
        EXPECT_LT(errorsOf(backend, at::kBFloat16).inParts,
                  1.5 * errorsOf(backend, at::kBFloat16).whole + 1e-3)
            << backend;
    }
}

/// The call's log-sum-exp and output: whole, and merged of two parts that cut no block.
struct Merged {
    at::Tensor lse, out;
};

Merged mergedOf(const std::string& backend, const Inputs& in, std::int64_t cut) {
    Merged merged;
    for (const auto& [begin, end] :
         {std::pair<std::int64_t, std::int64_t>{0, cut}, {cut, in.k_BHMD.size(2)}}) {
        if (begin == end) continue;
        Inputs part = in;
        part.k_BHMD = in.k_BHMD.narrow(2, begin, end - begin);
        part.v_BHMD = in.v_BHMD.narrow(2, begin, end - begin);
        const Served served = serve(backend, part, {}, {.logSumExp = LogSumExp::Asked});
        EXPECT_EQ(served.used, backend);
        const at::Tensor lse = served.lse_BHN.to(at::kDouble), out = served.out_BHND.to(at::kDouble);
        if (!merged.lse.defined()) {
            merged = {lse, out};
            continue;
        }
        const at::Tensor both = at::logaddexp(merged.lse, lse);
        merged.out =
            merged.out * at::exp(merged.lse - both).unsqueeze(-1) + out * at::exp(lse - both).unsqueeze(-1);
        merged.lse = both;
    }
    return merged;
}

/// With the mean and the maxima of all keys every score is what it is of the whole: the log-sum-exp differs
/// by fp32 sums alone, the output also by how weights are rounded (bf16: 2^-9 each, e4m3: 2^-4), which are
/// relative to each part's largest.
TEST(AttendInParts, QuantisesAsTheWholeWithStatisticsOfTheWhole) {
    constexpr std::int64_t kMany = 1280;  // two times whole blocks of every method
    at::manual_seed(6);
    const auto make = [&](std::int64_t tokens, double bias) {
        return (at::randn({2, tokens, kHeads, kHeadDim}) + bias).transpose(1, 2);
    };
    Inputs in{make(kQueries, 0), make(kMany, 0), make(kMany, 0), {}};
    // Parts unlike each other: of other means, of other largest values.
    in.k_BHMD.narrow(2, 0, kMany / 2).add_(0.75);
    in.v_BHMD.narrow(2, 0, kMany / 2).mul_(2);
    struct Case {
        std::string backend;
        double outBound;
        bool centres;
    };
    for (const Case& one : {Case{"sagev1", 3e-3, true}, Case{"fav3_sage", 3e-2, true},
                            Case{"sagev2", 3e-2, true}, Case{"fav3_fp8", 3e-2, false}}) {
        const Merged whole = mergedOf(one.backend, in, 0), without = mergedOf(one.backend, in, kMany / 2);
        Inputs given = in;
        given.keyMean_BHD = in.k_BHMD.to(at::kDouble).mean(2).to(at::kFloat).contiguous();
        given.valueMaxima_BHD = in.v_BHMD.abs().amax(2).contiguous();
        const Merged with = mergedOf(one.backend, given, kMany / 2);
        const auto most = [](const at::Tensor& x) { return x.abs().max().item<double>(); };
        EXPECT_LE(most(with.lse - whole.lse), 1e-5) << one.backend;
        EXPECT_LE(errorOf(with.out, whole.out), one.outBound) << one.backend;
        if (one.centres) {
            EXPECT_GT(most(without.lse - whole.lse), 1e-4) << one.backend;
        }
        // Of all keys at once they are what it finds out itself.
        EXPECT_LE(errorOf(mergedOf(one.backend, given, 0).out, whole.out), 1e-6) << one.backend;
    }
}

TEST(AttendInParts, RefusesStatisticsOfAnotherShape) {
    Inputs in = randomInputs(at::kFloat);
    in.keyMean_BHD = at::zeros({1, kHeads, kHeadDim + 1});
    const Served served = serve("sagev1", in);
    EXPECT_EQ(served.used, "sdpa");
    EXPECT_THAT(served.why, testing::HasSubstr("statistics"));
}

/// Without a word from the caller each part of the keys is smoothed and quantised by itself.
TEST(AttendInParts, CostsQuantisingBackendsNoAccuracy) {
    for (const char* backend : {"sagev1", "fav3_sage", "fav3_fp8"}) {
        const Errors errors = errorsOf(backend, at::kFloat);
        EXPECT_LT(errors.inParts, 1.2 * errors.whole) << backend;
    }
}

TEST(AttendInParts, SaysWhereSdpaServedInTheBackendsPlace) {
    const Inputs in = randomInputs(at::kFloat);
    const auto dispatcher = makeDispatcher("sla").value();
    bool isGiven = false;
    static_cast<void>(dispatcher->attendInParts(
        [&] { return std::exchange(isGiven, true) ? std::nullopt : std::optional(in); },
        {ModuleKind::Self, 0}));
    EXPECT_EQ(dispatcher->records().front().requested, "sla");
    EXPECT_EQ(dispatcher->records().front().used, "sdpa");
    EXPECT_NE(dispatcher->records().front().why, "");
}

}  // namespace
}  // namespace reelgrid::attention
