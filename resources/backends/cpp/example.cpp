// An exact attention backend for ReelGrid in plain C++: one query at a time, softmax in float.
#include <reelgrid/attention_backend.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

static const char kName[] = "example";

using bf16 = uint16_t;  // the upper half of an fp32

static float number(float value) {
    return value;
}
static float number(bf16 half) {
    const uint32_t bits = uint32_t{half} << 16;
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}
static void store(float* to, float value) {
    *to = value;
}
static void store(bf16* to, float value) {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    *to = static_cast<bf16>((bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16);  // to nearest, ties to even
}

/// Where the head dim of one token of one head begins.
template <class T>
static T* row(T* base, const reelgrid_strides& s, int64_t batch, int64_t head, int64_t token) {
    return base + batch * s.batch + head * s.head + token * s.token;
}

template <class T>
static void attend(const reelgrid_call* c) {
    const auto *qs = static_cast<const T*>(c->q), *ks = static_cast<const T*>(c->k);
    const auto* vs = static_cast<const T*>(c->v);
    const int64_t dim = c->head_dim, sharing = c->query_heads / c->key_heads;
    const int64_t rows = c->batch * c->query_heads * c->queries;
#pragma omp parallel for num_threads(c->threads) schedule(static)
    for (int64_t n = 0; n < rows; ++n) {
        const int64_t i = n % c->queries, h = n / c->queries % c->query_heads;
        const int64_t b = n / c->queries / c->query_heads;
        const int64_t visible = c->causal ? std::max<int64_t>(0, i + 1 + c->keys - c->queries) : c->keys;
        const int64_t seen = std::min(c->keys, visible);
        const T* q = row(qs, c->q_strides, b, h, i);
        std::vector<float> weights(seen), sum(dim, 0.0f);
        float largest = -INFINITY, total = 0;
        for (int64_t j = 0; j < seen; ++j) {
            const T* k = row(ks, c->k_strides, b, h / sharing, j);
            float dot = 0;
#pragma omp simd reduction(+ : dot)
            for (int64_t d = 0; d < dim; ++d) dot += number(q[d]) * number(k[d]);
            weights[j] = float(c->scale) * dot + (c->key_bias ? c->key_bias[j] : 0.0f);
            largest = std::max(largest, weights[j]);
        }
        for (int64_t j = 0; j < seen; ++j) {
            const T* v = row(vs, c->v_strides, b, h / sharing, j);
            const float weight = largest == -INFINITY ? 0.0f : std::exp(weights[j] - largest);
            total += weight;
            for (int64_t d = 0; d < dim; ++d) sum[d] += weight * number(v[d]);
        }
        T* out = row(static_cast<T*>(c->out), c->out_strides, b, h, i);
        for (int64_t d = 0; d < dim; ++d) store(out + d, total > 0 ? sum[d] / total : 0.0f);
    }
}

static int32_t run(const reelgrid_backend*, const reelgrid_call* c, char*, size_t) {
    if (c->dtype == REELGRID_FP32) attend<float>(c);
    if (c->dtype == REELGRID_BF16) attend<bf16>(c);
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
