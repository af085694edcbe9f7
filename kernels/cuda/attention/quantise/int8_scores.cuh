#pragma once

// Scores as integers of int8 products: score = integer · scale of the query's block · scale of the key's, in
// base 2 since the queries were quantised times log2(e).

#include "kernels/cuda/attention/score_rows.cuh"

namespace reelgrid::kernels::cuda::device {

/// Rows of a call's queries and of its keys that share a scale (method.h's Sage1).
constexpr int kSageQueries = traitsOf(Method::Sage1, 128).scaleBlocks.queries;
constexpr int kSageKeys = traitsOf(Method::Sage1, 128).scaleBlocks.keys;

/// Quantised rows of all heads.
struct Int8Tensor {
    const std::int8_t* bytes;
    std::int64_t headBytes;
    const float* scales;
    int headScales;

    __device__ const std::int8_t* head(int index) const { return bytes + index * headBytes; }
};

struct Int8Operands {
    Int8Tensor q, k;
    /// What smoothing took from a row's scores, [batch][query heads][queries] in natural units; or null.
    const float* shifts;

    /// After storeRows(): the log-sum-exp that it wrote is of smoothed keys.
    __device__ void shiftLogSumExp(const AttentionShape& shape, int row, int lane, int head) const {
        if (shape.lse == nullptr || shifts == nullptr || lane % 4 != 0) return;
        for (int query = row; query <= row + 8; query += 8)
            if (query < shape.queries) {
                const std::int64_t place = std::int64_t{head} * shape.queries + query;
                shape.lse[place] += shifts[place];
            }
    }
};

/// The scales of a tile of kSageKeys keys for the queries of one block.
class ScoreScales {
  public:
    __device__ ScoreScales(const Int8Operands& operands, int head, int query, int headsPerKeyHead)
        : m_query(
              __ldg(operands.q.scales + std::int64_t{head} * operands.q.headScales + query / kSageQueries)),
          m_keys(operands.k.scales + std::int64_t{head / headsPerKeyHead} * operands.k.headScales) {}

    __device__ float of(int tile) const {
        const float scale = m_query * __ldg(m_keys + tile);
        // A block of zeros has scores of 0 for any scale; 0 times the −∞ of a hidden key were NaN.
        return scale == 0.0F ? 1e-30F : scale;
    }

  private:
    float m_query;
    const float* m_keys;
};

/// A thread's scores of a tile. 1.5 · 2^23 added to an integer as bits is the float of the same sum, which
/// spares the conversion: scores are kOffset too large, and the offset goes with the softmax's base.
template <int kCount>
struct Int8Scores {
    static constexpr std::uint32_t kOffsetBits = 0x4B400000U;
    static constexpr float kOffset = 12582912.0F;

    std::int32_t sums[kCount];
    float weights[kCount];
    float scale, offset;  ///< 1 and 0 where sums hold scores proper

    __device__ float value(int i) const { return floatOf(sums[i]); }
    __device__ static float floatOf(std::int32_t sum) {
        return __uint_as_float(static_cast<std::uint32_t>(sum) + kOffsetBits);
    }

    /// Adds the key bias and hides keys, as for other kernels.
    __device__ void biasAndHide(const AttentionShape& shape, int firstKey, int row, int lane, bool hides) {
        float scores[kCount];
#pragma unroll
        for (int i = 0; i < kCount; ++i) scores[i] = (value(i) - kOffset) * scale;
        device::biasAndHide(scores, shape, firstKey, row, lane, hides);
#pragma unroll
        for (int i = 0; i < kCount; ++i)
            sums[i] = static_cast<std::int32_t>(__float_as_uint(scores[i]) - kOffsetBits);
        offset = 0;
        scale = 1;
    }

    /// The largest of this thread's scores; whether they ask for a new base.
    __device__ bool isHigh(const OnlineSoftmax& softmax, float (&here)[2]) const {
#pragma unroll
        for (int r = 0; r < 2; ++r) {
            float most[2] = {kMinusInfinity, kMinusInfinity};
#pragma unroll
            for (int i = 2 * r; i < kCount; i += 4)
                most[i / 4 % 2] = fmaxf(most[i / 4 % 2], fmaxf(value(i), value(i + 1)));
            here[r] = (fmaxf(most[0], most[1]) - offset) * scale;
        }
        return here[0] > softmax.top[0] + OnlineSoftmax::kSlack ||
               here[1] > softmax.top[1] + OnlineSoftmax::kSlack;
    }

    /// Takes the weights; gives this thread's sums of them.
    __device__ void weigh(const OnlineSoftmax& softmax, float (&added)[2]) {
        float base[2], chains[2][2] = {{0, 0}, {0, 0}};
#pragma unroll
        for (int r = 0; r < 2; ++r)
            base[r] = fmaf(offset, scale, softmax.top[r] == kMinusInfinity ? 0.0F : softmax.top[r]);
#pragma unroll
        for (int i = 0; i < kCount; ++i) {
            const int r = i / 2 % 2;
            weights[i] = powerOfTwo(fmaf(value(i), scale, -base[r]));
            chains[r][i % 2] += weights[i];
        }
#pragma unroll
        for (int r = 0; r < 2; ++r) added[r] = chains[r][0] + chains[r][1];
    }

    /// Two to a register.
    template <class Element>
    __device__ void packWeights(std::uint32_t (&packed)[kCount / 2]) const {
#pragma unroll
        for (int i = 0; i < kCount / 2; ++i)
            packed[i] = packedPair<Element>(weights[2 * i], weights[2 * i + 1]);
    }
};

}  // namespace reelgrid::kernels::cuda::device
