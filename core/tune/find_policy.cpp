#include "core/tune/find_policy.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/protocol/attention_call.h"
#include "core/tune/policy_rules.h"
#include "core/tune/prediction.h"
#include "core/tune/search.h"

namespace reelgrid::tune {
namespace {

/// What a tuning knows and has found so far.
class PolicySearch {
  public:
    PolicySearch(const TuningGoal& goal, const TuningHost& host) : m_goal(goal), m_host(host) {
        m_tuning.budget = goal.budget;
        m_tuning.prompt = goal.prompt;
        m_tuning.layers = goal.layers;
        m_tuning.steps = goal.steps;
        m_tuning.backends = goal.backends;
        m_blocks = blockSizeFor(goal.layers, goal.steps, kMostBlocks);
    }

    Result<Tuning> run() {
        if (auto done = renderReference(); !done) return done.error();
        if (auto done = renderSingles(); !done) return done.error();
        if (auto done = renderPolicies(); !done) return done.error();
        const SiteCosts costs = siteCosts(m_known, calibrate(m_known));
        for (const Candidate& candidate : paretoCurve(costs, m_blocks))
            m_tuning.curve.push_back(figuresOf(candidate));
        return std::move(m_tuning);
    }

  private:
    Result<void> renderReference();
    Result<void> renderSingles();
    Result<void> renderPolicies();
    void rememberSingles();
    [[nodiscard]] TimeAndQuality figuresOf(const Candidate& candidate) const {
        return {candidate.seconds, valueOf(m_goal.budget.quality, candidate.error)};
    }
    [[nodiscard]] const TuningRender* rendered(const Assignment& assignment) const;
    [[nodiscard]] double allowedError(double share) const;
    [[nodiscard]] std::optional<Candidate> nextCandidate() const;

    const TuningGoal& m_goal;
    const TuningHost& m_host;
    Tuning m_tuning;
    Measurements m_known;
    BlockSize m_blocks;
};

/// The reference's clip, with the maps of the others.
Result<void> PolicySearch::renderReference() {
    RenderOrder order{protocol::kReferenceBackend, protocol::kReferenceBackend, {}, {}};
    for (const std::string& name : m_tuning.backends)
        if (name != protocol::kReferenceBackend) order.lockstep.push_back(name);
    auto outcome = m_host.render(order);
    if (!outcome) return outcome.error();
    if (!outcome->map) return Error{ErrorCode::Internal, "the sdpa clip has no lockstep maps"};
    m_known.map = *std::move(outcome->map);
    m_tuning.timesAttention = outcome->timesAttention;
    m_tuning.renders.push_back(std::move(outcome->render));
    m_tuning.renders.front().policy.rules = {{.backend = protocol::kReferenceBackend}};
    return {};
}

Result<void> PolicySearch::renderSingles() {
    std::vector<std::string> names = m_tuning.backends;
    if (std::ranges::find(names, kFloorBackend) == names.end()) names.emplace_back(kFloorBackend);
    for (const std::string& name : names) {
        if (name == protocol::kReferenceBackend) continue;
        auto outcome = m_host.render({name, name, {}, {}});
        if (!outcome && outcome.error().code == ErrorCode::Cancelled) return outcome.error();
        const std::string why = outcome ? outcome->substitution : outcome.error().message;
        if (!why.empty()) {
            m_host.note(name + " is left out: " + why);
            std::erase(m_tuning.backends, name);
            continue;
        }
        outcome->render.policy.rules = {{.backend = name}};
        if (name == kFloorBackend) {
            m_tuning.floorBackend = name;
            m_tuning.floorQuality = outcome->render.measured.quality;
        }
        m_tuning.renders.push_back(std::move(outcome->render));
    }
    rememberSingles();
    return {};
}

void PolicySearch::rememberSingles() {
    const Quality quality = m_goal.budget.quality;
    if (m_tuning.floorQuality) m_known.floor = errorOf(quality, *m_tuning.floorQuality);
    for (const std::string& name : m_tuning.backends)
        for (const TuningRender& render : m_tuning.renders)
            if (render.name == name)
                m_known.singles.push_back(
                    {name, render.measured.seconds, errorOf(quality, render.measured.quality)});
}

/// The render with these backends, if there was one.
const TuningRender* PolicySearch::rendered(const Assignment& assignment) const {
    const std::set<int> used(assignment.begin(), assignment.end());
    for (const TuningRender& render : m_tuning.renders)
        if (render.assignment == assignment ||
            (used.size() == 1 && render.name == m_tuning.backends[std::size_t(*used.begin())]))
            return &render;
    return nullptr;
}

/// The error that the next policy may be predicted to have. At the budget's edge every second prediction is a
/// miss, so each miss leaves a part of what there is beyond the floor unused.
double PolicySearch::allowedError(double share) const {
    constexpr double kAfterMiss = 0.85;
    const double budget = m_goal.budget.error();
    const double floor = std::min(m_known.floor, budget);
    for (const TuningRender& render : m_tuning.renders)
        if (render.assignment && !m_goal.budget.isMetBy(render.measured.quality)) share *= kAfterMiss;
    return floor + (budget - floor) * share;
}

/// The fastest assignment that is predicted to be within the budget and was not rendered yet; nothing when
/// one that was, and is within, is as fast.
std::optional<Candidate> PolicySearch::nextCandidate() const {
    constexpr int kAttempts = 30;
    constexpr double kTighter = 0.9;
    const SiteCosts costs = siteCosts(m_known, calibrate(m_known));
    double share = 1;
    for (int attempt = 0; attempt < kAttempts; ++attempt, share *= kTighter) {
        auto candidate = fastestWithin(costs, m_blocks, allowedError(share));
        if (!candidate) return std::nullopt;
        const TuningRender* earlier = rendered(candidate->assignment);
        if (earlier == nullptr) return candidate;
        if (m_goal.budget.isMetBy(earlier->measured.quality)) return std::nullopt;
    }
    return std::nullopt;
}

Result<void> PolicySearch::renderPolicies() {
    // Below this a faster policy would not be told from noise.
    constexpr double kWorthwhile = 0.99;
    for (int number = 1; number <= m_goal.mostPolicies; ++number) {
        const auto candidate = nextCandidate();
        if (!candidate) return {};
        const Verdict verdict = verdictOf(m_tuning);
        if (verdict.chosen &&
            candidate->seconds > kWorthwhile * m_tuning.renders[*verdict.chosen].measured.seconds)
            return {};
        RenderOrder order{"policy " + std::to_string(number), protocol::kReferenceBackend, {}, {}};
        order.policy = policyOf(candidate->assignment, m_goal.layers, m_goal.steps, m_tuning.backends);
        auto outcome = m_host.render(order);
        if (!outcome) return outcome.error();
        TuningRender& render = outcome->render;
        render.assignment = candidate->assignment;
        render.predicted = figuresOf(*candidate);
        m_known.mixed.push_back(
            {candidate->assignment, errorOf(m_goal.budget.quality, render.measured.quality)});
        m_tuning.renders.push_back(std::move(render));
    }
    return {};
}

}  // namespace

int mostRenders(const TuningGoal& goal) {
    std::set<std::string> singles(goal.backends.begin(), goal.backends.end());
    singles.insert({protocol::kReferenceBackend, kFloorBackend});
    return static_cast<int>(singles.size()) + goal.mostPolicies;
}

Result<Tuning> findPolicy(const TuningGoal& goal, const TuningHost& host) {
    return PolicySearch(goal, host).run();
}

}  // namespace reelgrid::tune
