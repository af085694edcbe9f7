#include "core/tune/find_policy.h"

#include <gmock/gmock.h>

#include <cmath>

#include "core/tune/prediction.h"
#include "core/tune/search.h"

namespace reelgrid::tune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr int kLayers = 4, kSteps = 4;

/// Renders nothing: what a clip takes and how far it is off follows from what is said of the backends.
class FakeRenders {
  public:
    FakeRenders() {
        metrics::LockstepMap& map = m_truth.map;
        map.layers = kLayers;
        map.steps = kSteps;
        map.reference = "sdpa";
        map.seconds.assign(map.sites(), 1);
        map.stepSize.assign(kSteps, 1);
        add("sdpa", 16, 0);
        add("fav2", 12, kFloor);
        add("rough", 4, 1);
        m_truth.floor = kFloor;
    }

    TuningHost host() {
        return {.render = [this](const RenderOrder& order) { return render(order); },
                .note = [this](const std::string& line) { notes.push_back(line); }};
    }

    std::vector<RenderOrder> orders;
    std::vector<std::string> notes;
    std::string failing;  ///< this order's render ends with `failure`
    Error failure{ErrorCode::Internal, "the worker was killed"};
    std::string substituting;  ///< this backend doesn't serve its own render
    bool withMaps = true;

  private:
    static constexpr double kFloor = 1e-4;

    void add(const std::string& name, double seconds, double error) {
        m_truth.singles.push_back({name, seconds, error});
        if (name == "sdpa") return;
        metrics::LockstepBackend& backend = m_truth.map.backends.emplace_back();
        backend.name = name;
        for (std::size_t site = 0; site < m_truth.map.sites(); ++site) {
            backend.attention.rmse.push_back(double(1 + site % kLayers));
            backend.seconds.push_back(seconds / double(m_truth.map.sites()));
        }
        backend.flow.rmse.assign(kSteps, 1);
    }

    /// The backend of each site, as the first rule that fits it says.
    [[nodiscard]] Assignment assignmentOf(const RenderOrder& order) const {
        const auto policy = protocol::resolved(order.policy, kLayers, kSteps).value();
        Assignment assignment;
        for (int step = 0; step < kSteps; ++step)
            for (int layer = 0; layer < kLayers; ++layer) {
                std::string backend = order.backend;
                for (const protocol::AttentionRule& rule : policy.rules) {
                    if (rule.layers && !rule.layers->contains(layer)) continue;
                    if (rule.steps && !rule.steps->contains(step)) continue;
                    backend = rule.backend;
                    break;
                }
                const auto known = std::ranges::find(m_truth.singles, backend, &SingleRender::backend);
                assignment.push_back(int(known - m_truth.singles.begin()));
            }
        return assignment;
    }

    Result<RenderOutcome> render(const RenderOrder& order) {
        orders.push_back(order);
        if (order.name == failing) return failure;
        const Candidate made = predicted(siteCosts(m_truth, {.growth = 1, .scale = 1}), assignmentOf(order));
        RenderOutcome outcome;
        outcome.render.name = order.name;
        outcome.render.policy = order.policy;
        outcome.render.measured = {made.seconds, valueOf(Quality::L1, made.error)};
        if (order.backend == substituting) outcome.substitution = "no such kernel here";
        if (!order.lockstep.empty() && withMaps) outcome.map = m_truth.map;
        outcome.timesAttention = true;
        return outcome;
    }

    Measurements m_truth;
};

/// A third of what `rough` is off by.
TuningGoal goal() {
    return {.budget = {Quality::L1, std::sqrt(1.0 / 3)},
            .prompt = "a car",
            .layers = kLayers,
            .steps = kSteps,
            .backends = {"sdpa", "fav2", "rough"},
            .mostPolicies = 4};
}

std::vector<std::string> namesOf(const std::vector<RenderOrder>& orders) {
    std::vector<std::string> names;
    for (const RenderOrder& order : orders)
        names.push_back(order.name.starts_with("policy") ? "policy" : order.name);
    return names;
}

TEST(FindPolicy, IsFasterThanAnySingleBackendWithinTheBudget) {
    FakeRenders renders;
    const auto found = findPolicy(goal(), renders.host());
    ASSERT_TRUE(found) << found.error().message;
    const Verdict verdict = verdictOf(*found);
    ASSERT_TRUE(verdict.chosen && verdict.bestSingle);
    EXPECT_EQ(found->renders[*verdict.bestSingle].name, "fav2") << "rough alone is beyond the budget";
    const TuningRender& chosen = found->renders[*verdict.chosen];
    EXPECT_TRUE(chosen.assignment);
    EXPECT_FALSE(chosen.policy.empty());
    EXPECT_LT(chosen.measured.seconds, 11);
    EXPECT_TRUE(goal().budget.isMetBy(chosen.measured.quality));
    ASSERT_TRUE(chosen.predicted);
    EXPECT_NEAR(chosen.predicted->seconds, chosen.measured.seconds, 1e-9);
    EXPECT_EQ(found->floorBackend, "fav2");
    EXPECT_TRUE(found->timesAttention);
    EXPECT_FALSE(found->curve.empty());
    EXPECT_THAT(renders.notes, IsEmpty());
}

TEST(FindPolicy, RendersTheReferenceWithMapsThenEachBackendThenPolicies) {
    FakeRenders renders;
    ASSERT_TRUE(findPolicy(goal(), renders.host()));
    ASSERT_GE(renders.orders.size(), 4u);
    EXPECT_THAT(renders.orders[0].lockstep, ElementsAre("fav2", "rough"));
    EXPECT_EQ(namesOf(renders.orders)[0], "sdpa");
    EXPECT_EQ(namesOf(renders.orders)[1], "fav2");
    EXPECT_EQ(namesOf(renders.orders)[2], "rough");
    EXPECT_EQ(namesOf(renders.orders)[3], "policy");
    EXPECT_EQ(renders.orders[3].backend, "sdpa");
    EXPECT_THAT(renders.orders[3].lockstep, IsEmpty());
    EXPECT_LE(int(renders.orders.size()), mostRenders(goal()));
    EXPECT_EQ(mostRenders(goal()), 3 + 4);
}

TEST(FindPolicy, StopsAtTheMostPolicies) {
    FakeRenders renders;
    TuningGoal few = goal();
    few.mostPolicies = 0;
    const auto found = findPolicy(few, renders.host());
    ASSERT_TRUE(found);
    EXPECT_THAT(namesOf(renders.orders), ElementsAre("sdpa", "fav2", "rough"));
    EXPECT_EQ(found->renders[*verdictOf(*found).chosen].name, "fav2");
}

TEST(FindPolicy, RendersTheNoiseFloorThoughThePolicyMayNotUseIt) {
    FakeRenders renders;
    TuningGoal two = goal();
    two.backends = {"sdpa", "rough"};
    const auto found = findPolicy(two, renders.host());
    ASSERT_TRUE(found);
    EXPECT_EQ(found->floorBackend, "fav2");
    EXPECT_THAT(found->backends, ElementsAre("sdpa", "rough"));
    EXPECT_NE(found->renders[*verdictOf(*found).chosen].name, "fav2");
    EXPECT_EQ(mostRenders(two), 3 + 4) << "the floor is one of them";
}

TEST(FindPolicy, LeavesOutABackendThatFailsOrDoesNotRun) {
    for (const bool fails : {true, false}) {
        FakeRenders renders;
        (fails ? renders.failing : renders.substituting) = "rough";
        const auto found = findPolicy(goal(), renders.host());
        ASSERT_TRUE(found) << found.error().message;
        EXPECT_THAT(found->backends, ElementsAre("sdpa", "fav2"));
        ASSERT_EQ(renders.notes.size(), 1u);
        EXPECT_EQ(renders.notes[0], std::string("rough is left out: ") +
                                        (fails ? "the worker was killed" : "no such kernel here"));
    }
}

TEST(FindPolicy, EndsWithTheErrorsThatLeaveNothingToDo) {
    FakeRenders cancelled;
    cancelled.failing = "fav2";
    cancelled.failure = {ErrorCode::Cancelled, "cancelled"};
    EXPECT_EQ(findPolicy(goal(), cancelled.host()).error().code, ErrorCode::Cancelled);
    FakeRenders broken;
    broken.failing = "policy 1";
    EXPECT_EQ(findPolicy(goal(), broken.host()).error().message, "the worker was killed");
    FakeRenders blind;
    blind.withMaps = false;
    EXPECT_THAT(findPolicy(goal(), blind.host()).error().message, HasSubstr("no lockstep maps"));
}

}  // namespace
}  // namespace reelgrid::tune
