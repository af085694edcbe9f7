#include <gmock/gmock.h>

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/attention/make_dispatcher.h"
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

/// Each part of the keys is smoothed and quantised by itself.
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
