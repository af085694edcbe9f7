#include "core/models/layers/taylor_series.h"

#include <utility>

#include "core/models/layers/block_cache.h"

namespace reelgrid::models {
namespace {

constexpr const char *kFactor = "factor_", *kStep = "step", *kFirstStep = "first_step";

}  // namespace

bool TaylorSeries::computes(int step, int interval) const {
    constexpr int kFirst = 3;
    const int own = step - m_firstStep;
    return isEmpty() || own < kFirst || (own - kFirst - 1) % interval == 0;
}

void TaylorSeries::keep(int step, const at::Tensor& value) {
    std::vector<at::Tensor> factors{value};
    for (std::size_t order = 0; order < m_factors.size() && order < static_cast<std::size_t>(m_order);
         ++order)
        factors.push_back((factors[order] - m_factors[order]) / (step - m_step));
    if (isEmpty()) m_firstStep = step;
    m_factors = std::move(factors);
    m_step = step;
}

at::Tensor TaylorSeries::at(int step) const {
    const double offset = step - m_step;
    at::Tensor value = m_factors[0];
    double weight = 1;
    for (std::size_t order = 1; order < m_factors.size(); ++order) {
        weight *= offset / static_cast<double>(order);
        value = value + m_factors[order] * weight;
    }
    return value;
}

void TaylorSeries::save(const std::string& prefix, std::map<std::string, at::Tensor>& into) const {
    if (isEmpty()) return;
    into[prefix + kStep] = at::full({1}, m_step, at::kInt);
    into[prefix + kFirstStep] = at::full({1}, m_firstStep, at::kInt);
    for (std::size_t order = 0; order < m_factors.size(); ++order)
        into[prefix + kFactor + std::to_string(order)] = m_factors[order];
}

void TaylorSeries::restore(const std::string& prefix, const std::map<std::string, at::Tensor>& from,
                           at::Device device) {
    if (!from.contains(prefix + kStep)) return;
    m_step = keptTensor(from, prefix + kStep).item<int>();
    m_firstStep = keptTensor(from, prefix + kFirstStep).item<int>();
    m_factors = {keptTensor(from, prefix + kFactor + "0").to(device)};
    for (int order = 1; order <= m_order; ++order) {
        const auto found = from.find(prefix + kFactor + std::to_string(order));
        if (found != from.end()) m_factors.push_back(found->second.to(device));
    }
}

}  // namespace reelgrid::models
