#include "core/parallel/rank_plan.h"

#include <algorithm>

namespace reelgrid::parallel {
namespace {

constexpr double kPredictionBytes = 4;  // fp32

/// Whether each group of so many neighbours lies in a host whole.
bool isInHost(const Links& links, int ranks) {
    return links.gpusPerHost % ranks == 0;
}

/// Of a group of so many neighbours.
const Link& linkOf(const Links& links, int ranks) {
    return isInHost(links, ranks) ? links.inHost : links.betweenHosts;
}

/// Of a rank's part of one tensor, how often it is read or written beside what travels. Ulysses: fitted to
/// what two H100 took (docs/log/measurements.md), within 1 % in every row: copies to the order that travels
/// and back, and NCCL's own reads and writes. A ring joins keys and values.
constexpr double kUlyssesTouches = 16, kRingTouches = 2 * 2;

/// Merging so many parts: each is read, the whole written; merges but the last write fp32, which the next
/// reads.
double mergedBytes(int parts, double partBytes, double fp32Bytes) {
    return (parts + 1) * partBytes + (parts - 2) * 2 * fp32Bytes;
}

double copySeconds(const CardRates& card, double bytes) {
    return card.memory > 0 ? bytes / card.memory : 0;
}

double secondsOf(const Link& link, double bytes, int messages) {
    return bytes / link.bytesPerSecond + messages * link.latencySeconds;
}

}  // namespace

StepPlan planStep(const PassWork& work, int passes, const Degrees& degrees, const CardRates& card,
                  const Links& links, WeightsOnRank weights) {
    const int u = degrees.ulysses, r = degrees.ring, shared = degrees.tokens();
    const std::int64_t each = (work.tokens + shared - 1) / shared;
    // Of all that a pass computes, what the rank with the most of it does.
    const double share = double(each) / double(work.tokens);
    const double attention = work.attentionFlops * share / card.attention;
    const double other = work.otherFlops * share / card.other;
    const double partBytes = double(each) * double(work.channels) * double(work.bytesPerValue);

    StepPlan plan{.degrees = degrees};
    const int passesEach = passes / degrees.cfg;
    plan.compute = passesEach * (attention + other);
    if (u > 1)
        plan.ulysses = passesEach * double(work.layers) *
                       (secondsOf(linkOf(links, u), 4 * partBytes * (u - 1) / u, 4) +
                        copySeconds(card, kUlyssesTouches * partBytes));
    if (r > 1) {
        const double travel = secondsOf(linkOf(links, shared), 2 * partBytes, 2);
        const double hidden = isInHost(links, shared) ? 0 : attention / double(work.layers) / r;
        const double fp32Bytes = double(each) * double(work.channels) * sizeof(float);
        plan.ring = passesEach * double(work.layers) *
                    ((r - 1) * std::max(0.0, travel - hidden) +
                     copySeconds(card, kRingTouches * partBytes + mergedBytes(r, partBytes, fp32Bytes)));
    }
    const double prediction = double(work.outputValues) * kPredictionBytes;
    if (shared > 1)
        plan.gather +=
            passesEach * secondsOf(linkOf(links, shared), double(each) * prediction * (shared - 1), 1);
    if (degrees.cfg > 1)
        plan.gather += secondsOf(linkOf(links, degrees.ranks()), double(work.tokens) * prediction, 1);
    if (weights == WeightsOnRank::Shard && degrees.ranks() > 1) {
        const int all = degrees.ranks();
        const double others = double(work.layerBytes) * (all - 1) / all;
        const double hidden = (attention + other) / double(work.layers);
        plan.weights = passesEach * double(work.layers) *
                       std::max(0.0, secondsOf(linkOf(links, all), others, 1) - hidden);
    }
    return plan;
}

std::vector<StepPlan> plansFor(int ranks, const PassWork& work, int passes, bool mayRing,
                               const CardRates& card, const Links& links, WeightsOnRank weights) {
    std::vector<StepPlan> plans;
    for (int cfg = 1; cfg <= passes && cfg <= ranks; ++cfg) {
        if (ranks % cfg != 0 || passes % cfg != 0) continue;
        const int shared = ranks / cfg;
        for (int ulysses = 1; ulysses <= shared; ++ulysses) {
            if (shared % ulysses != 0 || work.heads % ulysses != 0) continue;
            const Degrees degrees{.cfg = cfg, .ring = shared / ulysses, .ulysses = ulysses};
            if (degrees.ring > 1 && !mayRing) continue;
            plans.push_back(planStep(work, passes, degrees, card, links, weights));
        }
    }
    std::ranges::stable_sort(plans, [](const StepPlan& a, const StepPlan& b) {
        return a.seconds() != b.seconds() ? a.seconds() < b.seconds() : a.degrees.ring < b.degrees.ring;
    });
    return plans;
}

}  // namespace reelgrid::parallel
