// An exact attention backend for ReelGrid in CUDA: a block of threads a query, online softmax in float.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <reelgrid/attention_backend.h>

#include <cstdio>

static const char kName[] = "example";
constexpr int kThreads = 128;  // also the keys of a tile
constexpr int kMaxHeadDim = 256;

template <class T>
__device__ const T* rowOf(const void* base, const reelgrid_strides& s, int64_t b, int64_t h, int64_t t) {
    return static_cast<const T*>(base) + b * s.batch + h * s.head + t * s.token;
}

template <class Combine>
__device__ float overBlock(float value, float* shared, Combine combine) {
    shared[threadIdx.x] = value;
    for (int half = kThreads / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            shared[threadIdx.x] = combine(shared[threadIdx.x], shared[threadIdx.x + half]);
    }
    __syncthreads();
    const float all = shared[0];
    __syncthreads();
    return all;
}

template <class T>
__global__ void attend(reelgrid_call c) {
    __shared__ float query[kMaxHeadDim], weights[kThreads], scratch[kThreads];
    const int64_t row = blockIdx.x, i = row % c.queries, h = row / c.queries % c.query_heads;
    const int64_t b = row / c.queries / c.query_heads, keyHead = h / (c.query_heads / c.key_heads);
    const int64_t seen = c.causal ? max(int64_t{0}, min(c.keys, i + 1 + c.keys - c.queries)) : c.keys;
    const T* q = rowOf<T>(c.q, c.q_strides, b, h, i);
    for (int d = threadIdx.x; d < c.head_dim; d += kThreads) query[d] = float(q[d]) * float(c.scale);
    __syncthreads();
    float largest = -INFINITY, total = 0, sum[kMaxHeadDim / kThreads] = {};
    for (int64_t first = 0; first < seen; first += kThreads) {
        const int64_t j = first + threadIdx.x;
        float score = -INFINITY;
        if (j < seen) {
            const T* k = rowOf<T>(c.k, c.k_strides, b, keyHead, j);
            float parts[4] = {};  // four short sums round less than a long one
            for (int d = 0; d < c.head_dim; ++d) parts[d % 4] += query[d] * float(k[d]);
            score = (parts[0] + parts[1]) + (parts[2] + parts[3]) + (c.key_bias ? c.key_bias[j] : 0);
        }
        const float before = largest;
        largest = fmaxf(largest, overBlock(score, scratch, [](float x, float y) { return fmaxf(x, y); }));
        if (largest == -INFINITY) continue;  // only hidden keys so far
        const float rescale = expf(before - largest);
        weights[threadIdx.x] = expf(score - largest);
        total = total * rescale +
                overBlock(weights[threadIdx.x], scratch, [](float x, float y) { return x + y; });
        for (int d = threadIdx.x, n = 0; d < c.head_dim; d += kThreads, ++n) {
            sum[n] *= rescale;
            for (int64_t t = 0; t < min(int64_t{kThreads}, seen - first); ++t)
                sum[n] += weights[t] * float(rowOf<T>(c.v, c.v_strides, b, keyHead, first + t)[d]);
        }
        __syncthreads();
    }
    T* out = const_cast<T*>(rowOf<T>(c.out, c.out_strides, b, h, i));
    for (int d = threadIdx.x, n = 0; d < c.head_dim; d += kThreads, ++n)
        out[d] = T(total > 0 ? sum[n] / total : 0);
}

static int32_t run(const reelgrid_backend*, const reelgrid_call* c, char* error, size_t errorSize) {
    const auto blocks = static_cast<unsigned>(c->batch * c->query_heads * c->queries);
    const auto stream = static_cast<cudaStream_t>(c->stream);
    if (c->dtype == REELGRID_FP32) attend<float><<<blocks, kThreads, 0, stream>>>(*c);
    if (c->dtype == REELGRID_BF16) attend<__nv_bfloat16><<<blocks, kThreads, 0, stream>>>(*c);
    if (c->dtype == REELGRID_FP16) attend<__half><<<blocks, kThreads, 0, stream>>>(*c);
    const cudaError_t status = cudaGetLastError();
    if (status != cudaSuccess) snprintf(error, errorSize, "%s", cudaGetErrorString(status));
    return status;
}

static reelgrid_backend described() {
    reelgrid_backend backend{};
    backend.size = sizeof backend;
    backend.abi = REELGRID_BACKEND_ABI;
    backend.devices = REELGRID_BIT(REELGRID_CUDA);
    backend.dtypes = REELGRID_BIT(REELGRID_FP32) | REELGRID_BIT(REELGRID_BF16) | REELGRID_BIT(REELGRID_FP16);
    backend.features = REELGRID_CAUSAL | REELGRID_KEY_BIAS | REELGRID_SHARED_KEYS;
    backend.max_head_dim = kMaxHeadDim;
    backend.head_dim_multiple = 1;
    backend.claimed_l1 = 0;  // exact
    backend.name = kName;
    backend.title = "Exact attention in plain CUDA";
    backend.description = "A block of threads a query; online softmax over tiles of 128 keys, sums in fp32.";
    backend.version = "1.0";
    backend.run = run;
    return backend;
}

REELGRID_BACKEND_EXPORT const reelgrid_backend* reelgrid_backend_at(uint32_t abi, uint32_t index) {
    static const reelgrid_backend backend = described();
    return abi == REELGRID_BACKEND_ABI && index == 0 ? &backend : nullptr;
}
