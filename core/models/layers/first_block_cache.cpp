#include "core/models/layers/first_block_cache.h"

#include <cmath>
#include <utility>

namespace reelgrid::models {
namespace {

constexpr const char *kFirst = "first", *kOthers = "others", *kFirstStep = "first_step",
                     *kOthersStep = "others_step", *kChanges = "changes";

}  // namespace

int firstStepThatMaySkip(int steps) {
    constexpr double kWholePart = 0.3;
    return static_cast<int>(std::ceil(kWholePart * steps));
}

std::uint64_t firstBlockCacheBytes(std::int64_t tokens, std::int64_t channels, int caches) {
    constexpr int kKept = 4, kCopies = 2;
    return static_cast<std::uint64_t>(tokens * channels * (kKept * caches + kCopies)) * sizeof(float);
}

/// Of all ranks' tokens, which needn't be as many on each; this process's alone where it has them all.
at::Tensor FirstBlockCache::total(const at::Tensor& x, at::Tensor (*alone)(const at::Tensor&)) const {
    return m_agreement.sum ? m_agreement.sum(x.sum(at::kFloat)) : alone(x);
}

bool FirstBlockCache::isClose(const at::Tensor& first_BNC) {
    if (!m_first_BNC.defined()) return false;
    const auto mean = [](const at::Tensor& x) { return x.mean(); };
    const at::Tensor change = total((first_BNC - m_first_BNC).abs_(), mean);
    // A guess is the worse the further back the pass is that it starts from.
    const double changes = m_changes + (change / total(m_first_BNC.abs(), mean)).item<double>();
    const bool isClose = m_agreement(changes <= m_threshold);
    if (isClose) m_changes = changes;
    return isClose;
}

void FirstBlockCache::keep(at::Tensor first_BNC, at::Tensor others_BNC) {
    if (m_first_BNC.defined()) {
        // In the memory of what goes: a small model pays more for new memory than for the sums.
        m_firstStep_BNC = at::sub_out(m_first_BNC, first_BNC, m_first_BNC);
        m_othersStep_BNC = at::sub_out(m_others_BNC, others_BNC, m_others_BNC);
    }
    m_first_BNC = std::move(first_BNC);
    m_others_BNC = std::move(others_BNC);
    m_changes = 0;
}

at::Tensor FirstBlockCache::others(const at::Tensor& first_BNC) const {
    if (!m_firstStep_BNC.defined()) return m_others_BNC;
    // A first block that hardly moved says nothing of how far others go on; none goes back.
    constexpr double kMostSteps = 4, kLeastSquares = 1e-30;
    const auto sum = [](const at::Tensor& x) { return x.sum(at::kFloat); };
    const at::Tensor along = total((first_BNC - m_first_BNC).mul_(m_firstStep_BNC), sum);
    const at::Tensor squares = total(m_firstStep_BNC.square(), sum);
    const at::Tensor steps = (along / squares.clamp_min(kLeastSquares)).clamp(0, kMostSteps);
    return at::addcmul(m_others_BNC, m_othersStep_BNC, steps.to(m_others_BNC.scalar_type()));
}

void FirstBlockCache::save(const std::string& prefix, std::map<std::string, at::Tensor>& into) const {
    if (!m_first_BNC.defined()) return;
    into[prefix + kFirst] = m_first_BNC;
    into[prefix + kOthers] = m_others_BNC;
    into[prefix + kChanges] = at::full({1}, m_changes, at::kDouble);
    if (!m_firstStep_BNC.defined()) return;
    into[prefix + kFirstStep] = m_firstStep_BNC;
    into[prefix + kOthersStep] = m_othersStep_BNC;
}

void FirstBlockCache::restore(const std::string& prefix, const std::map<std::string, at::Tensor>& from,
                              at::Device device) {
    if (!from.contains(prefix + kFirst)) return;
    const auto require = [&](const char* name) { return keptTensor(from, prefix + name); };
    m_first_BNC = require(kFirst).to(device);
    m_others_BNC = require(kOthers).to(device);
    m_changes = require(kChanges).item<double>();
    if (!from.contains(prefix + kFirstStep)) return;
    m_firstStep_BNC = require(kFirstStep).to(device);
    m_othersStep_BNC = require(kOthersStep).to(device);
}

}  // namespace reelgrid::models
