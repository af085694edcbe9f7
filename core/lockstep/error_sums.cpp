#include "core/lockstep/error_sums.h"

#include "core/base/difference_sums.h"
#include "core/base/result.h"

namespace reelgrid::lockstep {
namespace {

/// The sums over one part: products, squares of each, differences, their squares, and the reference.
at::Tensor sumsOf(const at::Tensor& reference, const at::Tensor& other) {
    // As fp32 is what the measures are of; double so that a cosine near 1 keeps its digits.
    const at::Tensor a = reference.to(at::kFloat).to(at::kDouble), b = other.to(at::kFloat).to(at::kDouble);
    const at::Tensor difference = a - b;
    return at::stack({(a * b).sum(), (a * a).sum(), (b * b).sum(), difference.abs().sum(),
                      (difference * difference).sum(), a.abs().sum()});
}

}  // namespace

void ErrorSums::add(const at::Tensor& reference, const at::Tensor& other) {
    if (reference.sizes() != other.sizes())
        throw Failure(ErrorCode::Internal, "outputs of different shapes can't be compared");
    // A head or channel at a time: the copies in double stay small.
    const std::int64_t parts = reference.dim() > 1 ? reference.size(1) : 1;
    for (std::int64_t part = 0; part < parts; ++part) {
        const bool whole = reference.dim() <= 1;
        const at::Tensor sums =
            sumsOf(whole ? reference : reference.select(1, part), whole ? other : other.select(1, part));
        m_sums = m_sums.defined() ? m_sums + sums : sums;
    }
    m_count += reference.numel();
}

OutputError ErrorSums::error() const {
    if (empty()) throw Failure(ErrorCode::Internal, "there is no output to compare");
    const at::Tensor sums = m_sums.cpu();
    const auto* s = sums.const_data_ptr<double>();
    const DifferenceSums of{.products = s[0],
                            .referenceSquares = s[1],
                            .otherSquares = s[2],
                            .distance = s[3],
                            .distanceSquares = s[4],
                            .reference = s[5],
                            .count = m_count};
    return {.cosine = of.cosine(), .relativeL1 = of.relativeL1(), .rmse = of.rmse()};
}

}  // namespace reelgrid::lockstep
