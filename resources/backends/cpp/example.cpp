// An exact attention backend for ReelGrid in plain C++: one query at a time, softmax in float.
#include <reelgrid/attention_backend.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

static const char kName[] = "example";

// fp32, or bf16: the upper half of an fp32.
static float load(const void* base, int64_t i, int32_t dtype) {
    if (dtype == REELGRID_FP32) return static_cast<const float*>(base)[i];
    const uint32_t bits = uint32_t{static_cast<const uint16_t*>(base)[i]} << 16;
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}
static void store(void* base, int64_t i, int32_t dtype, float value) {
    if (dtype == REELGRID_FP32) {
        static_cast<float*>(base)[i] = value;
        return;
    }
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    bits += 0x7FFFu + ((bits >> 16) & 1u);  // to nearest, ties to even
    static_cast<uint16_t*>(base)[i] = static_cast<uint16_t>(bits >> 16);
}

static int32_t run(const reelgrid_backend*, const reelgrid_call* c, char*, size_t) {
    const int64_t sharing = c->query_heads / c->key_heads, rows = c->batch * c->query_heads * c->queries;
#pragma omp parallel for num_threads(c->threads) schedule(static)
    for (int64_t row = 0; row < rows; ++row) {
        const int64_t i = row % c->queries, rest = row / c->queries;
        const int64_t h = rest % c->query_heads, b = rest / c->query_heads;
        const int64_t visible = c->causal ? std::max<int64_t>(0, i + 1 + c->keys - c->queries) : c->keys;
        const int64_t seen = std::min(c->keys, visible);
        const auto at = [&](const reelgrid_strides& s, int64_t head, int64_t token) {
            return b * s.batch + head * s.head + token * s.token;
        };
        std::vector<float> query(c->head_dim), weights(seen), sum(c->head_dim, 0.0f);
        for (int64_t d = 0; d < c->head_dim; ++d) query[d] = load(c->q, at(c->q_strides, h, i) + d, c->dtype);
        float largest = -INFINITY, total = 0;
        for (int64_t j = 0; j < seen; ++j) {
            float dot = 0;
            for (int64_t d = 0; d < c->head_dim; ++d)
                dot += query[d] * load(c->k, at(c->k_strides, h / sharing, j) + d, c->dtype);
            weights[j] = float(c->scale) * dot + (c->key_bias ? c->key_bias[j] : 0.0f);
            largest = std::max(largest, weights[j]);
        }
        for (int64_t j = 0; j < seen; ++j) {
            const float weight = largest == -INFINITY ? 0.0f : std::exp(weights[j] - largest);
            total += weight;
            for (int64_t d = 0; d < c->head_dim; ++d)
                sum[d] += weight * load(c->v, at(c->v_strides, h / sharing, j) + d, c->dtype);
        }
        for (int64_t d = 0; d < c->head_dim; ++d)
            store(c->out, at(c->out_strides, h, i) + d, c->dtype, total > 0 ? sum[d] / total : 0.0f);
    }
    return 0;
}

static reelgrid_backend described() {
    reelgrid_backend backend{};
    backend.size = sizeof backend;
    backend.abi = REELGRID_BACKEND_ABI;
    backend.devices = REELGRID_BIT(REELGRID_CPU);
    backend.dtypes = REELGRID_BIT(REELGRID_FP32) | REELGRID_BIT(REELGRID_BF16);
    backend.features = REELGRID_CAUSAL | REELGRID_KEY_BIAS | REELGRID_SHARED_KEYS;
    backend.max_head_dim = 1024;
    backend.head_dim_multiple = 1;
    backend.claimed_l1 = 0;  // exact
    backend.name = kName;
    backend.title = "Exact attention in plain C++";
    backend.description = "One query at a time; scores, softmax and sums in fp32.";
    backend.version = "1.0";
    backend.run = run;
    return backend;
}

REELGRID_BACKEND_EXPORT const reelgrid_backend* reelgrid_backend_at(uint32_t abi, uint32_t index) {
    static const reelgrid_backend backend = described();
    return abi == REELGRID_BACKEND_ABI && index == 0 ? &backend : nullptr;
}
