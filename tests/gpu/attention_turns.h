#pragma once

// Times attention backends in turns. A long load lowers the card's clocks, so they take turns in an order
// drawn anew each round, each for so many calls that its window is long, after a warm-up of its own; the
// median counts.

#include <memory>
#include <string>
#include <vector>

#include "core/attention/make_dispatcher.h"

namespace reelgrid {

struct Contender {
    std::string name;
    std::unique_ptr<attention::Dispatcher> dispatcher;
    std::vector<double> milliseconds{};  ///< of a call, of each round, ascending

    [[nodiscard]] double median() const { return milliseconds[milliseconds.size() / 2]; }
};

/// By the GPU's own events; leaves the contenders in the order of their names.
void timeInTurns(const execution::Execution& gpu, const attention::Inputs& in,
                 std::vector<Contender>& contenders);

/// sparge, sta and radial beside fav3, with about 50 and 80 % of the blocks left out, at a shape of Wan and
/// one of CogVideoX: data whose blocks of rows are alike. One JSON line a row on stdout; `of_ideal` is fav3's
/// time for the kept share of its work over the backend's whole time, prediction and reordering included.
void timeSparseBackends(const execution::Execution& gpu);

}  // namespace reelgrid
