#include "core/capture/kept_blocks.h"

#include <algorithm>
#include <numeric>

#include "core/attention/attention_problem.h"
#include "core/capture/attention_weights.h"
#include "kernels/cpu/attention/kept_map.h"

namespace reelgrid::capture {
namespace {

using kernels::TokenGrid;
using kernels::cpu::KeptMap;

constexpr std::int64_t kMostPairs = 4'000'000;
/// Over all blocks: a call of 75600 tokens would take minutes with every query.
constexpr std::int64_t kMostQueries = 6144;
constexpr std::int64_t kLeastQueriesPerBlock = 8;

TokenGrid gridOf(const CapturedCall& call, const SparseChoice& choice) {
    return call.grid.isKnown() ? call.grid : choice.grid;
}

Result<KeptMap> mapOf(const CapturedCall& call, const SparseChoice& choice) {
    const kernels::BackendInfo& backend = *choice.backend;
    if (!backend.hasBlockMap())
        return Error{ErrorCode::BadUsage, "--map " + std::string(backend.name) + ": one of " +
                                              sparseBackendNames() + " was needed"};
    const TokenGrid grid = gridOf(call, choice);
    const std::int64_t queries = call.q_BHND.size(2);
    if (grid.isKnown() && grid.tokens() != queries)
        return Error{ErrorCode::Unsupported, call.file.string() + ": it has " + std::to_string(queries) +
                                                 " queries, a grid of so many tokens was needed, not of " +
                                                 std::to_string(grid.tokens())};
    kernels::AttentionProblem problem = attention::problemOf(call.q_BHND, call.k_BHMD, call.v_BHMD);
    if (call.keyBias_M.defined()) problem.keyBias = call.keyBias_M.const_data_ptr<float>();
    problem.mask = call.mask;
    if (call.scale) problem.scale = static_cast<float>(*call.scale);
    problem.sparseLinear.topkRatio = choice.slaTopk;
    problem.context.grid = grid;
    problem.context.layer = call.layer.value_or(-1);
    problem.context.step = call.step.value_or(-1);
    problem.context.options = choice.options.of(backend.name);
    if (const auto why = kernels::whyNot(backend, problem))
        return Error{ErrorCode::Unsupported, call.file.string() + ": " + *why};
    return kernels::cpu::keptMapOf(*backend.method, problem);
}

/// Where the tokens of blocks of `together` lie.
std::vector<BlockPlace> placesOf(std::int64_t tokens, std::int64_t together, const TokenGrid& grid,
                                 const std::vector<std::int32_t>& order) {
    const std::int64_t clip = grid.frames * grid.rows * grid.columns;
    const bool isOfGrid = grid.isKnown() && grid.tokens() == tokens;
    std::vector<BlockPlace> places;
    for (std::int64_t begin = 0; begin < tokens; begin += together) {
        BlockPlace place{.firstToken = tokens, .lastToken = 0};
        for (std::int64_t n = begin; n < std::min(tokens, begin + together); ++n) {
            const std::int64_t token = order.empty() ? n : order[static_cast<std::size_t>(n)];
            place.firstToken = std::min(place.firstToken, token);
            place.lastToken = std::max(place.lastToken, token);
            const std::int64_t inClip = token - grid.textBefore;
            if (!isOfGrid || inClip < 0 || inClip >= clip) continue;
            const std::int64_t at[3] = {inClip / (grid.rows * grid.columns),
                                        inClip / grid.columns % grid.rows, inClip % grid.columns};
            const bool isFirst = place.clipTokens++ == 0;
            for (std::size_t axis = 0; axis < 3; ++axis) {
                place.first[axis] = isFirst ? at[axis] : std::min(place.first[axis], at[axis]);
                place.last[axis] = isFirst ? at[axis] : std::max(place.last[axis], at[axis]);
            }
        }
        places.push_back(place);
    }
    return places;
}

at::Tensor inOrder(const at::Tensor& x_ND, const std::vector<std::int32_t>& order) {
    if (order.empty()) return x_ND;
    const at::Tensor places = at::tensor(at::ArrayRef<std::int32_t>(order), at::kInt);
    return x_ND.index_select(0, places);
}

/// Fills in the weights of every pair of blocks, and what the kept ones hold.
void weigh(KeptBlocks& blocks, const CapturedCall& call, const std::vector<std::int32_t>& order,
           const std::function<void(int done, int total)>& progressed) {
    const std::int64_t keyHead = blocks.head / (call.q_BHND.size(1) / call.k_BHMD.size(1));
    const at::Tensor q_ND = inOrder(call.q_BHND[blocks.batch][blocks.head], order);
    const at::Tensor k_MD = inOrder(call.k_BHMD[blocks.batch][keyHead], order).to(at::kFloat).contiguous();
    const std::int64_t perBlock =
        std::max(kLeastQueriesPerBlock, kMostQueries / std::max<std::int64_t>(1, blocks.rows));
    double keptWeight = 0;
    for (std::int64_t row = 0; row < blocks.rows; ++row) {
        const std::int64_t first = row * blocks.queriesTogether;
        const std::int64_t size = std::min(blocks.queriesTogether, blocks.queries - first);
        const std::int64_t taken = std::min(size, perBlock);
        blocks.queriesPerBlock = std::max(blocks.queriesPerBlock, taken);
        const at::Tensor mean_M = meanWeights(call, q_ND, k_MD, first, size, taken);
        const double* weights = mean_M.const_data_ptr<double>();
        for (std::int64_t column = 0; column < blocks.columns; ++column) {
            const std::int64_t from = column * blocks.keysTogether;
            const std::int64_t to = std::min(blocks.keys, from + blocks.keysTogether);
            const double held = std::accumulate(weights + from, weights + to, 0.0);
            if (blocks.kept[blocks.weights.size()] != 0) keptWeight += held * double(size);
            blocks.weights.push_back(held);
        }
        progressed(int(row + 1), int(blocks.rows));
    }
    blocks.keptWeight = keptWeight / double(blocks.queries);
}

}  // namespace

std::string sparseBackendNames() {
    std::string names;
    for (const kernels::BackendInfo& backend : kernels::backends())
        if (backend.hasBlockMap()) names += (names.empty() ? "" : ", ") + std::string(backend.name);
    return names;
}

double KeptShares::mean() const {
    return std::accumulate(ofHead.begin(), ofHead.end(), 0.0) / double(ofHead.size());
}

Result<KeptShares> keptSharesOf(const CapturedCall& call, const SparseChoice& choice) {
    const auto map = mapOf(call, choice);
    if (!map) return map.error();
    KeptShares shares{std::string(choice.backend->name), {}};
    for (std::int64_t head = 0; head < map->heads; ++head) shares.ofHead.push_back(map->keptShare(head));
    return shares;
}

Result<KeptBlocks> keptBlocksOf(const CapturedCall& call, const SparseChoice& choice, std::int64_t batch,
                                std::int64_t head,
                                const std::function<void(int done, int total)>& progressed) {
    const std::int64_t heads = call.q_BHND.size(1);
    if (auto found = requireHead(call, batch, head); !found) return found.error();
    const auto map = mapOf(call, choice);
    if (!map) return map.error();
    if (map->rows * map->columns > kMostPairs)
        return Error{ErrorCode::Unsupported, call.file.string() + ": " + std::to_string(map->rows) + " by " +
                                                 std::to_string(map->columns) + " blocks, at most " +
                                                 std::to_string(kMostPairs) + " pairs were needed"};
    const std::span<const kernels::OptionValue> options = choice.options.of(choice.backend->name);
    const std::uint8_t* kept = map->of(batch * heads + head);
    KeptBlocks blocks{.backend = std::string(choice.backend->name),
                      .options = {options.begin(), options.end()},
                      .batch = batch,
                      .head = head,
                      .queries = call.q_BHND.size(2),
                      .keys = call.k_BHMD.size(2),
                      .queriesTogether = map->blocks.queries,
                      .keysTogether = map->blocks.keys,
                      .rows = map->rows,
                      .columns = map->columns,
                      .kept = {kept, kept + map->rows * map->columns},
                      .weights = {},
                      .keptShare = map->keptShare(batch * heads + head),
                      .keptShareOfHead = {},
                      .grid = gridOf(call, choice),
                      .queryPlaces = {},
                      .keyPlaces = {}};
    for (std::int64_t each = 0; each < heads; ++each)
        blocks.keptShareOfHead.push_back(map->keptShare(batch * heads + each));
    blocks.queryPlaces = placesOf(blocks.queries, blocks.queriesTogether, blocks.grid, map->order);
    blocks.keyPlaces = placesOf(blocks.keys, blocks.keysTogether, blocks.grid, map->order);
    weigh(blocks, call, map->order, progressed);
    return blocks;
}

}  // namespace reelgrid::capture
