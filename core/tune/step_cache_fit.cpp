#include "core/tune/step_cache_fit.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace reelgrid::tune {
namespace {

/// Gauss's elimination with pivots: a (n × n, by rows) · x = b.
std::vector<long double> solved(std::vector<long double> a, std::vector<long double> b) {
    const std::size_t n = b.size();
    for (std::size_t column = 0; column < n; ++column) {
        std::size_t pivot = column;
        for (std::size_t row = column + 1; row < n; ++row)
            if (std::abs(a[row * n + column]) > std::abs(a[pivot * n + column])) pivot = row;
        for (std::size_t i = 0; i < n; ++i) std::swap(a[column * n + i], a[pivot * n + i]);
        std::swap(b[column], b[pivot]);
        if (a[column * n + column] == 0) continue;  // points that say nothing of this power leave it out
        for (std::size_t row = 0; row < n; ++row) {
            if (row == column) continue;
            const long double part = a[row * n + column] / a[column * n + column];
            for (std::size_t i = column; i < n; ++i) a[row * n + i] -= part * a[column * n + i];
            b[row] -= part * b[column];
        }
    }
    for (std::size_t i = 0; i < n; ++i) b[i] = a[i * n + i] == 0 ? 0 : b[i] / a[i * n + i];
    return b;
}

}  // namespace

std::vector<double> fitPolynomial(const std::vector<double>& x, const std::vector<double>& y, int degree) {
    const auto powers = static_cast<std::size_t>(degree) + 1;
    // In units of the largest, so that powers are of one size.
    const double unit = std::max(*std::ranges::max_element(x), 1e-30);
    std::vector<long double> products(powers * powers), sums(powers);
    for (std::size_t point = 0; point < x.size(); ++point) {
        std::vector<long double> power(powers, 1);
        for (std::size_t i = 1; i < powers; ++i)
            power[i] = power[i - 1] * static_cast<long double>(x[point] / unit);
        for (std::size_t i = 0; i < powers; ++i) {
            sums[i] += power[i] * static_cast<long double>(y[point]);
            for (std::size_t j = 0; j < powers; ++j) products[i * powers + j] += power[i] * power[j];
        }
    }
    const std::vector<long double> scaled = solved(std::move(products), std::move(sums));
    std::vector<double> coefficients;
    for (std::size_t i = powers; i-- > 0;)
        coefficients.push_back(static_cast<double>(scaled[i] / std::pow(static_cast<long double>(unit), i)));
    return coefficients;
}

Result<protocol::StepCacheCurves> fitStepCaches(const std::string& model, int steps,
                                                const std::vector<RecordedStep>& recorded) {
    constexpr int kDegree = 4;
    constexpr int kLeastChanges = kLeastRecordedSteps - 1;
    if (std::ssize(recorded) < kLeastChanges)
        return Error{ErrorCode::Unsupported, "--num-inference-steps " + std::to_string(steps) +
                                                 ": changes of at least " + std::to_string(kLeastChanges) +
                                                 " steps, so " + std::to_string(kLeastRecordedSteps) +
                                                 " steps, were needed"};
    protocol::StepCacheCurves curves{.model = model, .steps = steps};
    curves.magcache.assign(static_cast<std::size_t>(steps), 1);
    for (const RecordedStep& step : recorded) {
        curves.embedding.push_back(step.embedding);
        curves.added.push_back(step.added);
        if (step.step < steps) curves.magcache[static_cast<std::size_t>(step.step)] = step.magnitude;
    }
    const int degree = std::min(kDegree, static_cast<int>(recorded.size()) - 1);
    curves.teacache = fitPolynomial(curves.embedding, curves.added, degree);
    if (const auto problem = problemOf(curves))
        return Error{ErrorCode::Unsupported,
                     "--step-cache record: the render of " + model + " tells " + *problem + " was needed"};
    return curves;
}

}  // namespace reelgrid::tune
