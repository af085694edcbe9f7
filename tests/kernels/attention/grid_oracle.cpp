#include "tests/kernels/attention/grid_oracle.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "tests/kernels/attention/attention_case.h"
#include "tests/kernels/attention/reference.h"

namespace reelgrid::kernels::test {
namespace {

constexpr std::int64_t kQueries = 128, kKeys = 64, kTile = 4, kWindow = 3;

struct Place {
    std::int64_t frame, row, column;
    bool isText;
};

Place placeOf(const TokenGrid& grid, std::int64_t token) {
    const std::int64_t place = token - grid.textBefore;
    if (place < 0 || place >= grid.frames * grid.rows * grid.columns) return {0, 0, 0, true};
    return {place / (grid.rows * grid.columns), place / grid.columns % grid.rows, place % grid.columns,
            false};
}

bool isNear(std::int64_t query, std::int64_t key, std::int64_t size) {
    const std::int64_t count = (size + kTile - 1) / kTile, half = kWindow / 2;
    const std::int64_t middle = std::min(std::max(query / kTile, half), std::max(half, count - 1 - half));
    return std::abs(key / kTile - middle) <= half;
}

bool seesTile(const TokenGrid& grid, const Place& q, const Place& k) {
    if (q.isText || k.isText) return true;
    return isNear(q.frame, k.frame, grid.frames) && isNear(q.row, k.row, grid.rows) &&
           isNear(q.column, k.column, grid.columns);
}

bool seesRadial(const TokenGrid& grid, const Place& q, const Place& k) {
    const std::int64_t d = std::abs(q.frame - k.frame);
    if (q.isText || k.isText || k.frame == 0 || d <= 1) return true;
    double width = 1, halved = 1;
    while (width <= double(grid.rows * grid.columns)) width *= 2;
    while (halved <= double(d)) halved *= 2;
    width /= halved;
    if (width < 128 && d % std::int64_t(128 / width) != 0) return false;
    const std::int64_t gap = std::abs((q.row - k.row) * grid.columns + q.column - k.column);
    return double(gap) <= std::max(width, 128.0);
}

/// The clip's tokens in the method's order: tile by tile, or as they are; text where it was.
std::vector<std::int64_t> orderOf(Method method, const TokenGrid& grid) {
    std::vector<std::int64_t> order(std::size_t(grid.tokens()));
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = std::int64_t(i);
    if (method == Method::Radial) return order;
    const auto tileOf = [&](std::int64_t token) {
        const Place p = placeOf(grid, token);
        if (p.isText) return token < grid.textBefore ? std::int64_t{-1} : std::int64_t{1} << 40;
        return (p.frame / kTile * 1000 + p.row / kTile) * 1000 + p.column / kTile;
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::int64_t a, std::int64_t b) { return tileOf(a) < tileOf(b); });
    return order;
}

/// One row of the softmax over these keys, times their values.
void attendRow(const AttentionProblem& p, std::int64_t batch, std::int64_t head, std::int64_t query,
               const std::vector<std::int64_t>& keys, double* row) {
    const std::int64_t keyHead = head / (p.queryHeads / p.keyHeads);
    const auto at = [&](const void* data, const Strides& s, std::int64_t h, std::int64_t token,
                        std::int64_t d) {
        return elementAt(p.type, data, batch * s.batch + h * s.head + token * s.token + d);
    };
    std::vector<double> scores;
    double most = -1e300, sum = 0;
    for (const std::int64_t key : keys) {
        double score = 0;
        for (std::int64_t d = 0; d < p.headDim; ++d)
            score += at(p.q, p.qStrides, head, query, d) * at(p.k, p.kStrides, keyHead, key, d);
        scores.push_back(score * double(p.scale));
        most = std::max(most, scores.back());
    }
    for (std::size_t j = 0; j < keys.size(); ++j) {
        const double weight = std::exp(scores[j] - most);
        sum += weight;
        for (std::int64_t d = 0; d < p.headDim; ++d)
            row[d] += weight * at(p.v, p.vStrides, keyHead, keys[j], d);
    }
    for (std::int64_t d = 0; d < p.headDim; ++d) row[d] /= sum;
}

}  // namespace

GridAttention gridAttention(Method method, const AttentionProblem& p) {
    const TokenGrid& grid = p.context.grid;
    const std::vector<std::int64_t> order = orderOf(method, grid);
    const auto n = std::int64_t(order.size());
    const auto sees = [&](std::int64_t i, std::int64_t j) {
        const Place query = placeOf(grid, order[std::size_t(i)]), key = placeOf(grid, order[std::size_t(j)]);
        return method == Method::SlidingTile ? seesTile(grid, query, key) : seesRadial(grid, query, key);
    };
    GridAttention result;
    result.out.resize(std::size_t(p.batch * p.queryHeads * n * p.headDim));
    double kept = 0, seen = 0;
    for (std::int64_t first = 0; first < n; first += kQueries) {
        const std::int64_t end = std::min(n, first + kQueries);
        std::vector<std::int64_t> keys;
        for (std::int64_t block = 0; block < n; block += kKeys) {
            bool any = false;
            for (std::int64_t i = first; i < end && !any; ++i)
                for (std::int64_t j = block; j < std::min(n, block + kKeys) && !any; ++j) any = sees(i, j);
            seen += 1;
            kept += any ? 1 : 0;
            for (std::int64_t j = block; j < std::min(n, block + kKeys) && any; ++j)
                keys.push_back(order[std::size_t(j)]);
        }
        for (std::int64_t head = 0; head < p.batch * p.queryHeads; ++head)
            for (std::int64_t i = first; i < end; ++i) {
                const std::int64_t query = order[std::size_t(i)];
                attendRow(p, head / p.queryHeads, head % p.queryHeads, query, keys,
                          result.out.data() + (head * n + query) * p.headDim);
            }
    }
    result.keptShare = kept / seen;
    return result;
}

}  // namespace reelgrid::kernels::test
