#include "core/tune/policy_rules.h"

#include <algorithm>
#include <optional>

namespace reelgrid::tune {
namespace {

class Cover {
  public:
    Cover(const Assignment& assignment, int layers, int steps)
        : m_left(assignment), m_layers(layers), m_steps(steps) {}

    /// Takes the largest rectangle of one backend that begins at the site.
    struct Rectangle {
        protocol::IndexRange layers, steps;
    };
    Rectangle take(int layer, int step) {
        const int backend = at(layer, step);
        // Along the layers first and along the steps first: the larger of the two.
        Rectangle byLayers = grown(backend, layer, step, Along::Layers);
        Rectangle bySteps = grown(backend, layer, step, Along::Steps);
        const Rectangle& best = area(byLayers) >= area(bySteps) ? byLayers : bySteps;
        for (int s = best.steps.first; s <= best.steps.last; ++s)
            for (int l = best.layers.first; l <= best.layers.last; ++l) at(l, s) = kTaken;
        return best;
    }

    static constexpr int kTaken = -1;
    int& at(int layer, int step) {
        return m_left[std::size_t(step) * std::size_t(m_layers) + std::size_t(layer)];
    }

  private:
    enum class Along { Layers, Steps };

    static int area(const Rectangle& r) {
        return (r.layers.last - r.layers.first + 1) * (r.steps.last - r.steps.first + 1);
    }
    bool isAll(int backend, const Rectangle& r) {
        if (r.layers.last >= m_layers || r.steps.last >= m_steps) return false;
        for (int s = r.steps.first; s <= r.steps.last; ++s)
            for (int l = r.layers.first; l <= r.layers.last; ++l)
                if (at(l, s) != backend) return false;
        return true;
    }
    Rectangle grown(int backend, int layer, int step, Along first) {
        Rectangle best{{layer, layer}, {step, step}};
        for (const bool second : {false, true})
            for (Rectangle next = best;; best = next) {
                const bool alongLayers = (first == Along::Layers) != second;
                ++(alongLayers ? next.layers.last : next.steps.last);
                if (!isAll(backend, next)) break;
            }
        return best;
    }

    Assignment m_left;
    int m_layers, m_steps;
};

int mostFrequent(const Assignment& assignment, std::size_t backends) {
    std::vector<int> counts(backends, 0);
    for (const int backend : assignment) ++counts[std::size_t(backend)];
    return int(std::ranges::max_element(counts) - counts.begin());
}

/// Nothing when it is the whole range: the rule is shorter, and covers the same.
std::optional<protocol::IndexRange> unlessAll(const protocol::IndexRange& range, int count) {
    if (range.first == 0 && range.last == count - 1) return std::nullopt;
    return range;
}

}  // namespace

protocol::AttentionPolicy policyOf(const Assignment& assignment, int layers, int steps,
                                   const std::vector<std::string>& backends) {
    const int rest = mostFrequent(assignment, backends.size());
    Cover cover(assignment, layers, steps);
    protocol::AttentionPolicy policy;
    for (int step = 0; step < steps; ++step)
        for (int layer = 0; layer < layers; ++layer) {
            const int backend = cover.at(layer, step);
            if (backend == Cover::kTaken || backend == rest) continue;
            const auto [ofLayers, ofSteps] = cover.take(layer, step);
            policy.rules.push_back({.backend = backends[std::size_t(backend)],
                                    .layers = unlessAll(ofLayers, layers),
                                    .steps = unlessAll(ofSteps, steps)});
        }
    policy.rules.push_back({.backend = backends[std::size_t(rest)]});
    return policy;
}

}  // namespace reelgrid::tune
