#include "core/capture/kept_blocks.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "core/attention/kernel_call.h"
#include "core/capture/kept_blocks_json.h"

namespace reelgrid::capture {
namespace {

using testing::HasSubstr;

SparseChoice choiceOf(const char* backend, const std::vector<std::string>& options = {}) {
    return {.backend = kernels::findBackend(backend),
            .options = attention::BackendOptions::create(options).value()};
}

/// Each 64 keys lie about a direction of their own, each 128 queries about that of the first of their keys,
/// which hold some four tenths of their weight.
CapturedCall gathered(std::int64_t heads, std::int64_t tokens, std::int64_t dim) {
    at::manual_seed(3);
    const std::int64_t pairs = (tokens + 127) / 128;
    const at::Tensor centres = at::randn({heads, pairs, 2, 1, dim});
    const auto rows = [&](const at::Tensor& each, std::int64_t times) {
        return each.repeat({1, 1, 1, times, 1})
            .reshape({1, heads, pairs * 128, dim})
            .slice(2, 0, tokens)
            .contiguous();
    };
    CapturedCall call;
    call.file = "made.pt";
    const auto noise = [&] { return 0.3 * at::randn({1, heads, tokens, dim}); };
    call.k_BHMD = rows(centres, 64) + noise();
    call.q_BHND = 0.3 * (rows(centres.slice(2, 0, 1), 128) + noise());
    call.v_BHMD = at::randn({1, heads, tokens, dim});
    return call;
}

KeptBlocks blocksOf(const CapturedCall& call, const SparseChoice& choice, std::int64_t head) {
    auto blocks = keptBlocksOf(call, choice, 0, head, [](int, int) {});
    EXPECT_TRUE(blocks) << blocks.error().message;
    return *std::move(blocks);
}

/// What the kernel itself attends to: values that name their block of keys leave a weight in the channel of
/// each block that was kept, and nothing in the others.
std::vector<std::uint8_t> attendedBlocks(CapturedCall call, const SparseChoice& choice,
                                         const KeptBlocks& blocks) {
    const std::int64_t dim = call.q_BHND.size(3), tokens = call.k_BHMD.size(2);
    EXPECT_LE(blocks.columns, dim);
    call.v_BHMD.zero_();
    std::vector<std::int64_t> places(static_cast<std::size_t>(tokens));
    std::iota(places.begin(), places.end(), 0);
    for (std::int64_t n = 0; n < tokens; ++n) {
        std::int64_t column = n / blocks.keysTogether;
        if (choice.backend->name == "sta")  // blocks are of tokens in the map's order
            for (std::size_t block = 0; block < blocks.keyPlaces.size(); ++block) {
                const BlockPlace& place = blocks.keyPlaces[block];
                const std::int64_t frame = n / (call.grid.rows * call.grid.columns),
                                   row = n / call.grid.columns % call.grid.rows, line = n % call.grid.columns;
                const std::int64_t at[3] = {frame, row, line};
                bool isIn = true;
                for (std::size_t axis = 0; axis < 3; ++axis)
                    isIn = isIn && place.first[axis] <= at[axis] && at[axis] <= place.last[axis];
                if (isIn) column = std::int64_t(block);
            }
        places[std::size_t(n)] = column;
        call.v_BHMD.select(2, n).select(2, column).fill_(1);
    }
    const attention::Inputs inputs{call.q_BHND, call.k_BHMD, call.v_BHMD, {}, {}, {}, {}, {}, call.grid};
    kernels::CallContext context;
    context.options = choice.options.of(choice.backend->name);
    const attention::KernelCall kernel(*choice.backend, inputs, {},
                                       {.slaTopk = choice.slaTopk, .context = context});
    EXPECT_FALSE(kernel.whyNot()) << *kernel.whyNot();
    const at::Tensor out_ND = kernel.run()[0][blocks.head].to(at::kDouble).contiguous();
    std::vector<std::uint8_t> attended(static_cast<std::size_t>(blocks.rows * blocks.columns));
    for (std::int64_t n = 0; n < tokens; ++n) {
        const std::int64_t row =
            choice.backend->name == "sta" ? places[std::size_t(n)] / 2 : n / blocks.queriesTogether;
        for (std::int64_t column = 0; column < blocks.columns; ++column)
            if (out_ND[n][column].item<double>() != 0)
                attended[static_cast<std::size_t>(row * blocks.columns + column)] = 1;
    }
    EXPECT_NEAR(kernel.kept().item<double>(),
                std::accumulate(blocks.keptShareOfHead.begin(), blocks.keptShareOfHead.end(), 0.0) /
                    double(blocks.keptShareOfHead.size()),
                1e-12);
    return attended;
}

TEST(KeptBlocks, AreThoseThatTheKernelAttendsTo) {
    const CapturedCall call = gathered(3, 1000, 64);
    for (const SparseChoice& choice :
         {choiceOf("sparge"), choiceOf("sparge", {"sparge.cdfthreshd=0.5"}),
          choiceOf("sparge", {"sparge.cdfthreshd=0.3,0.9,0.9", "sparge.simthreshd1=0.6,0.6,1"}),
          choiceOf("sla"), choiceOf("sagesla")})
        for (const std::int64_t head : {0, 2}) {
            const KeptBlocks blocks = blocksOf(call, choice, head);
            EXPECT_EQ(blocks.columns, choice.backend->name == "sagesla" ? 8 : 16);
            EXPECT_EQ(blocks.kept, attendedBlocks(call, choice, blocks)) << blocks.backend << " " << head;
            if (head == 0) {
                EXPECT_LT(blocks.keptShare, 0.95) << blocks.backend << ": something is left out";
            }
        }
}

TEST(KeptBlocks, OnTheGridAreThoseThatTheKernelAttendsTo) {
    CapturedCall call = gathered(1, 8 * 8 * 16, 64);
    call.q_BHND *= 0.1;  // no weight vanishes
    call.grid = {.frames = 8, .rows = 8, .columns = 16};
    for (const SparseChoice& choice : {choiceOf("sta", {"sta.window=1,1,3"}), choiceOf("radial")}) {
        const KeptBlocks blocks = blocksOf(call, choice, 0);
        EXPECT_EQ(blocks.kept, attendedBlocks(call, choice, blocks)) << blocks.backend;
        if (blocks.backend == "sta") {
            EXPECT_LT(blocks.keptShare, 0.5);
        }
    }
}

TEST(KeptBlocks, EachHeadHasItsThresholdAndItsShare) {
    const CapturedCall call = gathered(3, 1000, 64);
    const KeptBlocks blocks = blocksOf(
        call, choiceOf("sparge", {"sparge.cdfthreshd=0.3,0.9,0.9", "sparge.simthreshd1=0.6,0.6,1"}), 1);
    ASSERT_EQ(blocks.keptShareOfHead.size(), 3U);
    EXPECT_LT(blocks.keptShareOfHead[0], blocks.keptShareOfHead[1]);
    EXPECT_EQ(blocks.keptShareOfHead[2], 1);
    EXPECT_EQ(blocks.keptShare, blocks.keptShareOfHead[1]);
    EXPECT_DOUBLE_EQ(keptSharesOf(call, choiceOf("sparge", {"sparge.cdfthreshd=0.9"}))->ofHead[1],
                     blocks.keptShare);
    EXPECT_THAT(keptSharesOf(call, choiceOf("sparge", {"sparge.cdfthreshd=0.3,0.9"})).error().message,
                HasSubstr("made.pt: sparge: cdfthreshd has 2 values, needs one, or one for each of 3 heads"));
}

TEST(KeptBlocks, WeightsAreTheSoftmaxInFloat64) {
    CapturedCall call = gathered(2, 300, 32);
    const KeptBlocks blocks = blocksOf(call, choiceOf("sparge", {"sparge.cdfthreshd=0.5"}), 1);
    EXPECT_EQ(blocks.queriesPerBlock, 128) << "all of them";
    const at::Tensor weights_NM = at::softmax(
        at::mm(call.q_BHND[0][1].to(at::kDouble), call.k_BHMD[0][1].to(at::kDouble).t()) / std::sqrt(32.0),
        1);
    double kept = 0;
    for (std::int64_t row = 0; row < blocks.rows; ++row)
        for (std::int64_t column = 0; column < blocks.columns; ++column) {
            const auto at = static_cast<std::size_t>(row * blocks.columns + column);
            const at::Tensor block =
                weights_NM.slice(0, row * 128, (row + 1) * 128).slice(1, column * 64, (column + 1) * 64);
            EXPECT_NEAR(blocks.weights[at], block.sum(1).mean().item<double>(), 1e-6);
            if (blocks.kept[at] != 0) kept += block.sum().item<double>();
        }
    EXPECT_NEAR(blocks.keptWeight, kept / 300, 1e-6);
}

TEST(KeptBlocks, SayWhereTheirTokensLie) {
    CapturedCall call = gathered(1, 10 + 4 * 8 * 8 + 3, 16);
    call.grid = {.frames = 4, .rows = 8, .columns = 8, .textBefore = 10, .textAfter = 3};
    const KeptBlocks blocks = blocksOf(call, choiceOf("radial"), 0);
    ASSERT_EQ(blocks.queryPlaces.size(), 3U);
    EXPECT_EQ(blocks.queryPlaces[0].firstToken, 0);
    EXPECT_EQ(blocks.queryPlaces[0].lastToken, 127);
    EXPECT_EQ(blocks.queryPlaces[0].clipTokens, 118);
    EXPECT_EQ(blocks.queryPlaces[0].last, (std::array<std::int64_t, 3>{1, 7, 7}));
    EXPECT_EQ(blocks.queryPlaces[2].clipTokens, 10);
    EXPECT_EQ(blocks.keyPlaces.size(), 5U);
    EXPECT_EQ(blocks.keyPlaces[1].first, (std::array<std::int64_t, 3>{0, 0, 0}));
    EXPECT_EQ(blocks.keyPlaces[1].last, (std::array<std::int64_t, 3>{1, 7, 7}));
    const nlohmann::json json = toJson(blocks);
    EXPECT_EQ(json["query_places"][0], nlohmann::json({0, 127, 0, 1, 0, 7, 0, 7}));
    EXPECT_EQ(json["grid"], nlohmann::json({4, 8, 8, 10, 3}));
    const std::string csv = csvOf(blocks);
    EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 3 * 5);
    EXPECT_THAT(csv, HasSubstr("\n0,1,1,"));

    // In tiles.
    call = gathered(1, 4 * 8 * 8, 16);
    call.grid = {.frames = 4, .rows = 8, .columns = 8};
    const KeptBlocks tiles = blocksOf(call, choiceOf("sta"), 0);
    EXPECT_EQ(tiles.keyPlaces[1].first, (std::array<std::int64_t, 3>{0, 0, 4}));
    EXPECT_EQ(tiles.keyPlaces[1].last, (std::array<std::int64_t, 3>{3, 3, 7}));
}

TEST(KeptBlocks, ALayerHasItsOwnThresholds) {
    CapturedCall call = gathered(2, 500, 32);
    const auto shareIn = [&](std::optional<int> layer, const std::vector<std::string>& options) {
        call.layer = layer;
        const auto shares = keptSharesOf(call, choiceOf("sparge", options));
        EXPECT_TRUE(shares) << shares.error().message;
        return shares->ofHead;
    };
    const std::vector<std::string> options{"sparge.cdfthreshd@1-2=0.3,0.9", "sparge.cdfthreshd=0.7"};
    const auto usual = shareIn(std::nullopt, {"sparge.cdfthreshd=0.7"});
    EXPECT_EQ(shareIn(0, options), usual);
    EXPECT_EQ(shareIn(3, options), usual);
    EXPECT_EQ(shareIn(std::nullopt, options), usual) << "nobody knows the layer";
    EXPECT_EQ(shareIn(1, options), shareIn(0, {"sparge.cdfthreshd=0.3,0.9"}));
    EXPECT_LT(shareIn(2, options)[0], usual[0]);
    EXPECT_GT(shareIn(2, options)[1], usual[1]);
}

TEST(KeptBlocks, RefuseInOneLine) {
    CapturedCall call = gathered(2, 300, 32);
    const auto refusal = [&](const char* backend, std::int64_t head) {
        const auto blocks = keptBlocksOf(call, choiceOf(backend), 0, head, [](int, int) {});
        return blocks ? "read" : blocks.error().message;
    };
    EXPECT_THAT(refusal("fav2", 0),
                HasSubstr("--map fav2: one of sla, sagesla, sparge, sta, radial was needed"));
    EXPECT_THAT(refusal("sparge", 2), HasSubstr("--head 2: a number from 0 to 1 was needed"));
    EXPECT_THAT(refusal("sta", 0), HasSubstr("made.pt: sta: nobody says where"));
    SparseChoice elsewhere = choiceOf("sparge");
    elsewhere.grid = {.frames = 4, .rows = 8, .columns = 8};
    EXPECT_THAT(keptSharesOf(call, elsewhere).error().message,
                HasSubstr("made.pt: it has 300 queries, a grid of so many tokens was needed, not of 256"));
    call.mask = kernels::Mask::Causal;
    EXPECT_THAT(refusal("sparge", 0), HasSubstr("made.pt: sparge: no causal mask"));
}

}  // namespace
}  // namespace reelgrid::capture
