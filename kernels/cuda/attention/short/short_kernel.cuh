#pragma once

// Attention over at most 64 keys for every GPU since Ampere, for thousands of sequences of a few tokens: a
// warp holds 16 or 32 queries of one head and all of their keys, in registers alone. No shared memory, no
// barrier: what such calls take is the time of reading and writing.
//
// Operands come as mma has them without shuffles, since neither the order of the summed dimensions nor that
// of the output's channels matters. Of 32 dimensions of Q and K a thread reads eight neighbours, 8 (lane % 4)
// and on: in pairs they are what it holds of two steps. Of 64 channels of V it reads eight neighbours, 8
// (lane / 4) and on, of the keys 2 (lane % 4), the next, and both eight further: column n of the i-th product
// is channel 8 n + i.

#include "kernels/cuda/attention/attention.cuh"
#include "kernels/cuda/attention/launch_attention.cuh"
#include "kernels/cuda/attention/mma.cuh"
#include "kernels/cuda/attention/score_rows.cuh"

namespace reelgrid::kernels::cuda::device {

struct ShortCall {
    AttentionShape shape;
    const void *q, *k, *v;
    Strides qStrides, kStrides, vStrides;
    std::int64_t heads;  ///< of queries, over all batches
    int queryGroups;     ///< of a head: a warp each
};

template <class Element_, int kKeys_, int kMatrices_>
struct ShortConfig {
    using Element = Element_;
    static constexpr int kKeys = kKeys_;          ///< at most: 16, 32 or 64
    static constexpr int kMatrices = kMatrices_;  ///< of 16 queries, a warp
    static constexpr int kWarps = 4, kThreads = 32 * kWarps;
};

/// Rows (tokens) of one head in global memory.
struct ShortRows {
    const char* head;
    std::int64_t rowBytes;
    int rows, headDim;

    __device__ ShortRows(const void* data, const Strides& strides, int batch, int index, int count, int dims)
        : head(static_cast<const char*>(data) + 2 * (batch * strides.batch + index * strides.head)),
          rowBytes(2 * strides.token),
          rows(count),
          headDim(dims) {}

    /// Eight elements; zeros where there are none.
    __device__ uint4 load(int row, int dim) const {
        if (row >= rows || dim >= headDim) return make_uint4(0, 0, 0, 0);
        return __ldg(reinterpret_cast<const uint4*>(head + row * rowBytes + 2 * dim));
    }
};

template <class C>
struct ShortWarp {
    using Element = typename C::Element;
    static constexpr int kMatrices = C::kMatrices;
    static constexpr int kKeyBlocks = C::kKeys / 8;  ///< columns of S come in eights
    static constexpr int kScores = C::kKeys / 2;

    const AttentionShape& shape;
    const ShortRows q, k, v;
    const int firstQuery, head, batch, lane;

    /// scores = Q Kᵀ.
    __device__ void multiplyQueries(float (&scores)[kMatrices][kScores]) const {
#pragma unroll
        for (int m = 0; m < kMatrices; ++m)
#pragma unroll
            for (float& score : scores[m]) score = 0;
#pragma unroll 1
        for (int chunk = 0; chunk < shape.headDim; chunk += 32) {
            const int dim = chunk + lane % 4 * 8;
            uint4 queries[kMatrices][2];
#pragma unroll
            for (int m = 0; m < kMatrices; ++m)
#pragma unroll
                for (int r = 0; r < 2; ++r) queries[m][r] = q.load(queryOf(m, r), dim);
            uint4 keys[kKeyBlocks];
#pragma unroll
            for (int j = 0; j < kKeyBlocks; ++j) keys[j] = k.load(8 * j + lane / 4, dim);
#pragma unroll
            for (int j = 0; j < kKeyBlocks; ++j) addProducts(scores, j, queries, keys[j]);
        }
    }

    /// The query of this thread's row r of a matrix.
    __device__ int queryOf(int m, int r) const {
        return firstQuery + 16 * m + lane / 4 + 8 * r;
    }

    /// Scores of eight keys += the products of this thread's eight dimensions and its neighbours'.
    __device__ static void addProducts(float (&scores)[kMatrices][kScores], int j,
                                       const uint4 (&queries)[kMatrices][2], const uint4& keys) {
#pragma unroll
        for (int m = 0; m < kMatrices; ++m) {
            const uint4 &a = queries[m][0], &b = queries[m][1];
            const std::uint32_t first[4] = {a.x, b.x, a.y, b.y}, second[4] = {a.z, b.z, a.w, b.w};
            ampere::multiply<Element>(&scores[m][4 * j], first, keys.x, keys.y);
            ampere::multiply<Element>(&scores[m][4 * j], second, keys.z, keys.w);
        }
    }

    /// The i-th elements of two rows of eight as a pair.
    __device__ static std::uint32_t pairOf(const uint4& first, const uint4& second, int i) {
        const std::uint32_t a = i / 2 == 0 ? first.x : i / 2 == 1 ? first.y : i / 2 == 2 ? first.z : first.w;
        const std::uint32_t b = i / 2 == 0   ? second.x
                                : i / 2 == 1 ? second.y
                                : i / 2 == 2 ? second.z
                                             : second.w;
        return __byte_perm(a, b, i % 2 == 0 ? 0x5410 : 0x7632);
    }

    /// 64 channels of P V from `channel` on.
    __device__ void multiplyValues(float (&outputs)[kMatrices][32],
                                   const std::uint32_t (&p)[kMatrices][kScores / 2], int channel) const {
#pragma unroll
        for (int m = 0; m < kMatrices; ++m)
#pragma unroll
            for (float& value : outputs[m]) value = 0;
        const int mine = channel + lane / 4 * 8;
#pragma unroll
        for (int step = 0; step < C::kKeys / 16; ++step) {
            uint4 values[4];
#pragma unroll
            for (int i = 0; i < 4; ++i)
                values[i] = v.load(16 * step + lane % 4 * 2 + i % 2 + i / 2 * 8, mine);
#pragma unroll
            for (int i = 0; i < 8; ++i)
#pragma unroll
                for (int m = 0; m < kMatrices; ++m) {
                    const std::uint32_t weights[4] = {p[m][4 * step], p[m][4 * step + 1], p[m][4 * step + 2],
                                                      p[m][4 * step + 3]};
                    ampere::multiply<Element>(&outputs[m][4 * i], weights, pairOf(values[0], values[1], i),
                                              pairOf(values[2], values[3], i));
                }
        }
    }

    /// Of row lane / 4 + 8 r a thread has sixteen neighbours of the 64 channels.
    __device__ void store(const float (&outputs)[32], const float (&inverse)[2], int query,
                          int channel) const {
        auto* out =
            static_cast<Element*>(shape.out) + batch * shape.outStrides.batch + head * shape.outStrides.head;
#pragma unroll
        for (int r = 0; r < 2; ++r) {
            const int row = query + lane / 4 + 8 * r;
            if (row >= shape.queries) continue;
            auto* place = out + row * shape.outStrides.token + channel + lane % 4 * 16;
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                if (channel + lane % 4 * 16 + 8 * half >= shape.headDim) continue;
                const auto pair = [&](int i) {
                    return packedPair<Element>(outputs[8 * i + 2 * r + half] * inverse[r],
                                               outputs[8 * i + 4 + 2 * r + half] * inverse[r]);
                };
                *reinterpret_cast<uint4*>(place + 8 * half) = make_uint4(pair(0), pair(1), pair(2), pair(3));
            }
        }
    }

    /// Scores of 16 queries become weights, 2^kOffset times what they are; gives what outputs are multiplied
    /// by. The log-sum-exp is `shifts` larger than that of the scores.
    template <int kOffset = 0>
    __device__ void weigh(float (&scores)[kScores], int m, float scale, const float (&shifts)[2],
                          float (&inverse)[2]) const {
        const int row = queryOf(m, 0);
        const bool hides = C::kKeys > shape.seenBy(firstQuery + 16 * m);
        if (hides || shape.keyBias != nullptr) biasAndHide(scores, shape, 0, row, lane, hides);
        OnlineSoftmax softmax;
        float here[2], factor[2], added[2];
        (void)softmax.isHigh(scores, scale, here);
        softmax.rise(here, factor);
#pragma unroll
        for (int r = 0; r < 2; ++r) softmax.top[r] -= kOffset;
        softmax.template weigh<0, kScores>(scores, scale, added);
        softmax.add(added);
#pragma unroll
        for (int r = 0; r < 2; ++r) {
            inverse[r] = softmax.finish(r);
            const int query = row + 8 * r;
            if (shape.lse != nullptr && lane % 4 == 0 && query < shape.queries)
                shape.lse[(static_cast<std::int64_t>(batch) * shape.queryHeads + head) * shape.queries +
                          query] = softmax.logSumExp(r) + shifts[r];
        }
    }

    __device__ void attend() const {
        float scores[kMatrices][kScores];
        multiplyQueries(scores);
        std::uint32_t p[kMatrices][kScores / 2];
        float inverse[kMatrices][2];
#pragma unroll
        for (int m = 0; m < kMatrices; ++m) {
            weigh(scores[m], m, shape.remainingScale(), {0, 0}, inverse[m]);
#pragma unroll
            for (int i = 0; i < kScores / 2; ++i)
                p[m][i] = packedPair<Element>(scores[m][2 * i], scores[m][2 * i + 1]);
        }
#pragma unroll 1
        for (int channel = 0; channel < shape.headDim; channel += 64) {
            float outputs[kMatrices][32];
            multiplyValues(outputs, p, channel);
#pragma unroll
            for (int m = 0; m < kMatrices; ++m) store(outputs[m], inverse[m], firstQuery + 16 * m, channel);
        }
    }
};

/// What this warp has to do; `with` isn't called when there is nothing left.
template <class C, class With>
__device__ void withShortWarp(const ShortCall& call, With&& with) {
    const AttentionShape& shape = call.shape;
    const std::int64_t warp = std::int64_t{blockIdx.x} * C::kWarps + static_cast<int>(threadIdx.x) / 32;
    if (warp >= call.heads * call.queryGroups) return;
    const std::int64_t index = warp / call.queryGroups;
    const int head = static_cast<int>(index % shape.queryHeads),
              batch = static_cast<int>(index / shape.queryHeads);
    const int keyHead = head / shape.queryHeadsPerKeyHead;
    with(ShortWarp<C>{shape, ShortRows(call.q, call.qStrides, batch, head, shape.queries, shape.headDim),
                      ShortRows(call.k, call.kStrides, batch, keyHead, shape.keys, shape.headDim),
                      ShortRows(call.v, call.vStrides, batch, keyHead, shape.keys, shape.headDim),
                      static_cast<int>(warp % call.queryGroups) * 16 * C::kMatrices, head, batch,
                      static_cast<int>(threadIdx.x) % 32});
}

template <class C>
__global__ void __launch_bounds__(C::kThreads) shortKernel(const __grid_constant__ ShortCall call) {
    withShortWarp<C>(call, [](const ShortWarp<C>& warp) { warp.attend(); });
}

inline ShortCall shortCall(const AttentionProblem& p, int queriesOfWarp) {
    return {.shape = shapeOf(p),
            .q = p.q,
            .k = p.k,
            .v = p.v,
            .qStrides = p.qStrides,
            .kStrides = p.kStrides,
            .vStrides = p.vStrides,
            .heads = p.batch * p.queryHeads,
            .queryGroups = tilesOf(p.queries, queriesOfWarp)};
}
/// A grid's size.
inline unsigned shortBlocks(const ShortCall& call, int warps) {
    return blocksOf((call.heads * call.queryGroups + warps - 1) / warps);
}

}  // namespace reelgrid::kernels::cuda::device
