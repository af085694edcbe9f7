#include "core/tune/search.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace reelgrid::tune {
namespace {

struct Option {
    int backend = 0;
    double seconds = 0, error = 0;
};

/// One block, and the backends that are worth choosing there: each faster than the one before, for more
/// error, on the lower convex hull.
struct Block {
    std::vector<std::size_t> sites;
    std::vector<Option> hull;
};

/// An exchange of a block's backend for the next on its hull.
struct Exchange {
    std::size_t block = 0;
    std::size_t to = 0;
    double saves = 0, costs = 0;

    [[nodiscard]] double rate() const {
        return costs > 0 ? saves / costs : std::numeric_limits<double>::infinity();
    }
};

Option optionOf(const SiteCosts& costs, const std::vector<std::size_t>& sites, int backend) {
    Option option{backend};
    for (const std::size_t site : sites) {
        option.seconds += costs.backends[std::size_t(backend)].seconds[site];
        option.error += costs.backends[std::size_t(backend)].error[site];
    }
    return option;
}

/// Whether going from a straight to c saves more for its error than by way of b.
bool isAbove(const Option& a, const Option& b, const Option& c) {
    return (a.seconds - b.seconds) * (c.error - a.error) <= (a.seconds - c.seconds) * (b.error - a.error);
}

std::vector<Option> hullOf(std::vector<Option> options) {
    std::erase_if(options, [](const Option& option) { return !std::isfinite(option.error); });
    std::ranges::sort(options, [](const Option& a, const Option& b) {
        return a.error != b.error ? a.error < b.error : a.seconds < b.seconds;
    });
    std::vector<Option> hull;
    for (const Option& option : options) {
        if (!hull.empty() && option.seconds >= hull.back().seconds) continue;
        while (hull.size() > 1 && isAbove(hull[hull.size() - 2], hull.back(), option)) hull.pop_back();
        hull.push_back(option);
    }
    return hull;
}

std::vector<Block> blocksOf(const SiteCosts& costs, BlockSize size) {
    std::vector<Block> blocks;
    for (int step = 0; step < costs.steps; step += size.steps)
        for (int layer = 0; layer < costs.layers; layer += size.layers) {
            Block& block = blocks.emplace_back();
            for (int s = step; s < std::min(step + size.steps, costs.steps); ++s)
                for (int l = layer; l < std::min(layer + size.layers, costs.layers); ++l)
                    block.sites.push_back(std::size_t(s) * std::size_t(costs.layers) + std::size_t(l));
            std::vector<Option> options;
            for (int backend = 0; backend < int(costs.backends.size()); ++backend)
                options.push_back(optionOf(costs, block.sites, backend));
            block.hull = hullOf(std::move(options));
        }
    return blocks;
}

/// All exchanges of all blocks, the most rewarding first. A block's own stay in their order: on a convex hull
/// each is less rewarding than the one before it.
std::vector<Exchange> exchangesOf(const std::vector<Block>& blocks) {
    std::vector<Exchange> exchanges;
    for (std::size_t block = 0; block < blocks.size(); ++block)
        for (std::size_t to = 1; to < blocks[block].hull.size(); ++to) {
            const Option &from = blocks[block].hull[to - 1], &next = blocks[block].hull[to];
            exchanges.push_back({block, to, from.seconds - next.seconds, next.error - from.error});
        }
    std::ranges::stable_sort(exchanges,
                             [](const Exchange& a, const Exchange& b) { return a.rate() > b.rate(); });
    return exchanges;
}

/// Walks from the most exact assignment; `take` says whether an exchange is made, `made` sees what became of
/// it. False when some block has no backend that can run.
template <class Take, class Made>
bool walk(const SiteCosts& costs, BlockSize size, Take take, Made made) {
    const std::vector<Block> blocks = blocksOf(costs, size);
    Assignment assignment(costs.sites(), 0);
    const auto assign = [&](const Block& block, int backend) {
        for (const std::size_t site : block.sites) assignment[site] = backend;
    };
    for (const Block& block : blocks) {
        if (block.hull.empty()) return false;
        assign(block, block.hull.front().backend);
    }
    made(assignment);
    std::vector<std::size_t> place(blocks.size(), 0);
    for (const Exchange& exchange : exchangesOf(blocks)) {
        // An exchange that was left out ends its block's.
        if (place[exchange.block] + 1 != exchange.to) continue;
        const Block& block = blocks[exchange.block];
        Assignment next = assignment;
        std::swap(next, assignment);
        assign(block, block.hull[exchange.to].backend);
        if (!take(assignment)) {
            std::swap(next, assignment);
            continue;
        }
        place[exchange.block] = exchange.to;
        made(assignment);
    }
    return true;
}

}  // namespace

Candidate predicted(const SiteCosts& costs, Assignment assignment) {
    Candidate candidate{std::move(assignment)};
    bool isReference = true;
    for (std::size_t site = 0; site < candidate.assignment.size(); ++site) {
        const int backend = candidate.assignment[site];
        isReference = isReference && backend == costs.reference;
        candidate.seconds += costs.backends[std::size_t(backend)].seconds[site];
        candidate.error += costs.backends[std::size_t(backend)].error[site];
    }
    if (!isReference) candidate.error += costs.floor;
    return candidate;
}

BlockSize blockSizeFor(int layers, int steps, int most) {
    const auto parts = [](int count, int size) { return (count + size - 1) / size; };
    BlockSize best{layers, steps};
    const auto area = [](BlockSize size) { return size.layers * size.steps; };
    const auto skew = [](BlockSize size) { return std::abs(size.layers - size.steps); };
    for (int l = 1; l <= layers; ++l)
        for (int s = 1; s <= steps; ++s) {
            const BlockSize size{l, s};
            if (parts(layers, l) * parts(steps, s) > most) continue;
            if (area(size) < area(best) || (area(size) == area(best) && skew(size) < skew(best))) best = size;
        }
    return best;
}

std::vector<Candidate> paretoCurve(const SiteCosts& costs, BlockSize blocks) {
    std::vector<Candidate> curve;
    walk(
        costs, blocks, [](const Assignment&) { return true; },
        [&](const Assignment& assignment) { curve.push_back(predicted(costs, assignment)); });
    return curve;
}

std::optional<Candidate> fastestWithin(const SiteCosts& costs, BlockSize blocks, double mostError) {
    std::optional<Candidate> best;
    const auto keepIfBetter = [&](const Assignment& assignment) {
        Candidate candidate = predicted(costs, assignment);
        if (candidate.error <= mostError && (!best || candidate.seconds < best->seconds))
            best = std::move(candidate);
    };
    // Within a budget that leaves no room for rounding either.
    if (costs.reference >= 0) keepIfBetter(Assignment(costs.sites(), costs.reference));
    walk(
        costs, blocks,
        [&](const Assignment& assignment) { return predicted(costs, assignment).error <= mostError; },
        keepIfBetter);
    return best;
}

}  // namespace reelgrid::tune
