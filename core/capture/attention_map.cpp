#include "core/capture/attention_map.h"

#include <algorithm>

#include "core/capture/attention_weights.h"

namespace reelgrid::capture {
namespace {

/// Of each block of queries: a call of 75600 tokens would take minutes with all of them.
constexpr std::int64_t kQueriesPerBlock = 64;

/// Where block `index` of `count` begins.
std::int64_t edgeOf(std::int64_t index, std::int64_t count, std::int64_t size) {
    return index * size / count;
}

}  // namespace

Result<AttentionMap> attentionMapOf(const CapturedCall& call, std::int64_t batch, std::int64_t head,
                                    std::int64_t blocks,
                                    const std::function<void(int done, int total)>& progressed) {
    const at::Tensor& q = call.q_BHND;
    if (auto found = requireHead(call, batch, head); !found) return found.error();
    const std::int64_t keyHead = head / (q.size(1) / call.k_BHMD.size(1));
    const at::Tensor q_ND = q[batch][head];
    const at::Tensor k_MD = call.k_BHMD[batch][keyHead].to(at::kFloat).contiguous();

    AttentionMap map{.batch = batch,
                     .head = head,
                     .queries = q_ND.size(0),
                     .keys = k_MD.size(0),
                     .rows = std::min(blocks, q_ND.size(0)),
                     .columns = std::min(blocks, k_MD.size(0)),
                     .queriesPerBlock = 0,
                     .means = {}};
    for (std::int64_t row = 0; row < map.rows; ++row) {
        const std::int64_t first = edgeOf(row, map.rows, map.queries);
        const std::int64_t size = edgeOf(row + 1, map.rows, map.queries) - first;
        const std::int64_t taken = std::min(size, kQueriesPerBlock);
        map.queriesPerBlock = std::max(map.queriesPerBlock, taken);
        const at::Tensor mean_M = meanWeights(call, q_ND, k_MD, first, size, taken);
        const double* weights = mean_M.const_data_ptr<double>();
        std::vector<double> means;
        for (std::int64_t column = 0; column < map.columns; ++column) {
            const std::int64_t from = edgeOf(column, map.columns, map.keys);
            const std::int64_t to = edgeOf(column + 1, map.columns, map.keys);
            double sum = 0;
            for (std::int64_t key = from; key < to; ++key) sum += weights[key];
            means.push_back(sum / double(to - from));
        }
        map.means.push_back(std::move(means));
        progressed(int(row + 1), int(map.rows));
    }
    return map;
}

}  // namespace reelgrid::capture
