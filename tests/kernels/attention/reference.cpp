#include "tests/kernels/attention/reference.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "kernels/attention/half_types.h"

namespace reelgrid::kernels::test {

double elementAt(DataType type, const void* data, std::int64_t index) {
    switch (type) {
        case DataType::Float32:
            return static_cast<const float*>(data)[index];
        case DataType::BFloat16:
            return floatFromBf16(static_cast<const std::uint16_t*>(data)[index]);
        case DataType::Float16:
            return floatFromFp16(static_cast<const std::uint16_t*>(data)[index]);
    }
    return 0;
}

namespace {

/// One head as contiguous float64 [tokens, D].
std::vector<double> widenHead(const AttentionProblem& p, const void* data, const Strides& strides,
                              std::int64_t b, std::int64_t head, std::int64_t tokens) {
    std::vector<double> wide(static_cast<std::size_t>(tokens * p.headDim));
    for (std::int64_t n = 0; n < tokens; ++n)
        for (std::int64_t d = 0; d < p.headDim; ++d)
            wide[static_cast<std::size_t>(n * p.headDim + d)] =
                elementAt(p.type, data, b * strides.batch + head * strides.head + n * strides.token + d);
    return wide;
}

double biasOf(const AttentionProblem& p, std::int64_t key) {
    return p.keyBias == nullptr ? 0 : static_cast<double>(p.keyBias[key]);
}

}  // namespace

ReferenceResult referenceAttention(const AttentionProblem& p) {
    constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();
    ReferenceResult result;
    result.out.assign(static_cast<std::size_t>(p.batch * p.queryHeads * p.queries * p.headDim), 0.0);
    result.lse.assign(static_cast<std::size_t>(p.batch * p.queryHeads * p.queries), kMinusInfinity);
    std::vector<double> weights(static_cast<std::size_t>(p.keys));
    const std::int64_t headsPerKeyHead = p.queryHeads / p.keyHeads;

    for (std::int64_t b = 0; b < p.batch; ++b)
        for (std::int64_t h = 0; h < p.queryHeads; ++h) {
            const auto q = widenHead(p, p.q, p.qStrides, b, h, p.queries);
            const auto k = widenHead(p, p.k, p.kStrides, b, h / headsPerKeyHead, p.keys);
            const auto v = widenHead(p, p.v, p.vStrides, b, h / headsPerKeyHead, p.keys);
            for (std::int64_t i = 0; i < p.queries; ++i) {
                const std::int64_t row = (b * p.queryHeads + h) * p.queries + i;
                const std::int64_t visible =
                    p.mask == Mask::Causal ? std::min(p.keys, i + p.keys - p.queries + 1) : p.keys;
                if (visible <= 0) continue;
                double largest = kMinusInfinity;
                for (std::int64_t j = 0; j < visible; ++j) {
                    double dot = 0;
                    for (std::int64_t d = 0; d < p.headDim; ++d)
                        dot += q[static_cast<std::size_t>(i * p.headDim + d)] *
                               k[static_cast<std::size_t>(j * p.headDim + d)];
                    weights[static_cast<std::size_t>(j)] = dot * static_cast<double>(p.scale) + biasOf(p, j);
                    largest = std::max(largest, weights[static_cast<std::size_t>(j)]);
                }
                double sum = 0;
                double* out = result.out.data() + row * p.headDim;
                for (std::int64_t j = 0; j < visible; ++j) {
                    const double weight = std::exp(weights[static_cast<std::size_t>(j)] - largest);
                    sum += weight;
                    for (std::int64_t d = 0; d < p.headDim; ++d)
                        out[d] += weight * v[static_cast<std::size_t>(j * p.headDim + d)];
                }
                for (std::int64_t d = 0; d < p.headDim; ++d) out[d] /= sum;
                result.lse[static_cast<std::size_t>(row)] = largest + std::log(sum);
            }
        }
    return result;
}

}  // namespace reelgrid::kernels::test
