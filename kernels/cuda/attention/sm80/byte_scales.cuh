#pragma once

// The scales of quantised rows as a warp of 32 queries reads them.

#include "kernels/cuda/attention/quantise/method_parts.cuh"

namespace reelgrid::kernels::cuda::device {

/// How a method's entries are counted: [rows / queryRows][queryClasses], [rows / kScaleGrain][keyClasses].
/// With classes a thread's rows (lane / 4 and every eighth further) and columns (2 (lane % 4) and the next of
/// every eight) are of one class.
struct ScaleEntries {
    int queryRows, queryClasses, keyClasses;

    static ScaleEntries of(Method method, int headDim) {
        const MethodTraits traits = traitsOf(method, headDim);
        return {traits.scaleBlocks.queries, traits.scaleClasses.queries, traits.scaleClasses.keys};
    }
};

class ByteScales {
  public:
    /// `firstRow`: of the warp, whose rows share an entry of each class.
    __device__ ByteScales(const ScaleEntries& entries, const QuantisedOperands& x, int head, int keyHead,
                          int firstRow, int lane)
        : m_keyClasses(entries.keyClasses) {
        const int blocks = (x.queryRows + entries.queryRows - 1) / entries.queryRows;
        const int each = entries.queryClasses > 1 ? lane / 4 : 0;
        m_query =
            __ldg(x.qScales +
                  (std::int64_t{head} * blocks + firstRow / entries.queryRows) * entries.queryClasses + each);
        m_keys = x.kScales + std::int64_t{keyHead} * (x.keyRows / kScaleGrain) * m_keyClasses +
                 (m_keyClasses > 1 ? lane % 4 : 0);
    }

    /// Of kScaleGrain keys, times `factor`.
    __device__ float of(int grain, float factor = 1) const {
        const float scale = m_query * __ldg(m_keys + grain * m_keyClasses) * factor;
        // A block of zeros has scores of 0 for any scale; 0 times the −∞ of a hidden key were NaN.
        return scale == 0.0F ? 1e-30F : scale;
    }

  private:
    int m_keyClasses;
    float m_query;
    const float* m_keys;
};

}  // namespace reelgrid::kernels::cuda::device
