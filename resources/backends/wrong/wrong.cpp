// Two deliberately wrong attention backends for ReelGrid: what `reelgrid-cli backends check` and the grid
// make of the mistakes that kernels really have. Both run without complaint and give finite numbers.
//   transposed  reads V as if its rows were its columns, within each square of the head dim
//   tail        forgets the keys behind the last whole tile of 64
#include <reelgrid/attention_backend.h>

#include <algorithm>
#include <cmath>
#include <vector>

enum class Mistake { Transposed, Tail };

static int32_t run(const reelgrid_call* c, Mistake mistake) {
    const auto* q = static_cast<const float*>(c->q);
    const auto* k = static_cast<const float*>(c->k);
    const auto* v = static_cast<const float*>(c->v);
    auto* out = static_cast<float*>(c->out);
    constexpr int64_t kTile = 64;
    const bool dropsTail = mistake == Mistake::Tail && c->keys > kTile;
    const int64_t keys = dropsTail ? c->keys / kTile * kTile : c->keys;
    const int64_t D = c->head_dim, rows = c->batch * c->query_heads * c->queries;
#pragma omp parallel for num_threads(c->threads) schedule(static)
    for (int64_t row = 0; row < rows; ++row) {
        const int64_t i = row % c->queries, rest = row / c->queries;
        const int64_t h = rest % c->query_heads, b = rest / c->query_heads;
        const auto at = [&](const reelgrid_strides& s, int64_t token) {
            return b * s.batch + h * s.head + token * s.token;
        };
        std::vector<float> weights(keys);
        float largest = -INFINITY, total = 0;
        for (int64_t j = 0; j < keys; ++j) {
            float dot = 0;
            for (int64_t d = 0; d < D; ++d) dot += q[at(c->q_strides, i) + d] * k[at(c->k_strides, j) + d];
            weights[j] = float(c->scale) * dot;
            largest = std::max(largest, weights[j]);
        }
        std::vector<float> sum(D, 0.0f);
        for (int64_t j = 0; j < keys; ++j) {
            const float weight = std::exp(weights[j] - largest);
            total += weight;
            const int64_t block = j / D * D;
            for (int64_t d = 0; d < D; ++d) {
                const bool swaps = mistake == Mistake::Transposed && block + D <= keys;
                sum[d] +=
                    weight * v[swaps ? at(c->v_strides, block + d) + (j - block) : at(c->v_strides, j) + d];
            }
        }
        for (int64_t d = 0; d < D; ++d) out[at(c->out_strides, i) + d] = sum[d] / total;
    }
    return 0;
}

static int32_t runTransposed(const reelgrid_backend*, const reelgrid_call* c, char*, size_t) {
    return run(c, Mistake::Transposed);
}
static int32_t runTail(const reelgrid_backend*, const reelgrid_call* c, char*, size_t) {
    return run(c, Mistake::Tail);
}

using Run = int32_t (*)(const reelgrid_backend*, const reelgrid_call*, char*, size_t);

static reelgrid_backend described(const char* name, const char* title, Run run) {
    reelgrid_backend backend{};
    backend.size = sizeof backend;
    backend.abi = REELGRID_BACKEND_ABI;
    backend.devices = REELGRID_BIT(REELGRID_CPU);
    backend.dtypes = REELGRID_BIT(REELGRID_FP32);
    backend.max_head_dim = 256;
    backend.head_dim_multiple = 1;
    backend.name = name;
    backend.title = title;
    backend.description = "Deliberately wrong.";
    backend.run = run;
    return backend;
}

REELGRID_BACKEND_EXPORT const reelgrid_backend* reelgrid_backend_at(uint32_t abi, uint32_t index) {
    static const reelgrid_backend backends[] = {
        described("transposed", "Reads V transposed", runTransposed),
        described("tail", "Forgets the keys of the last tile", runTail)};
    return abi == REELGRID_BACKEND_ABI && index < 2 ? &backends[index] : nullptr;
}
