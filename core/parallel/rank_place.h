#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "core/base/result.h"

namespace reelgrid::parallel {

/// Which of several processes this one is, and where they meet.
struct RankPlace {
    int rank = 0;
    int ranks = 1;
    int localRank = 0;   ///< among those of this host: the number of its GPU
    int localRanks = 1;  ///< of this host
    std::string address = "127.0.0.1";
    std::uint16_t port = 29500;
    /// Who serves the store at that address: rank 0, or the program that started the ranks (torchrun,
    /// --nproc).
    enum class Store { OfRankZero, OfStarter } store = Store::OfRankZero;
    int attempt = 0;  ///< how often the starter has started them anew, with the same store
};

/// The value of an environment variable; null: it isn't set.
using Environment = std::function<const char*(const char* name)>;

/// As torchrun (RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR, MASTER_PORT), srun (SLURM_PROCID,
/// SLURM_STEP_NUM_TASKS, SLURM_LOCALID) or mpirun (Open MPI's and MPICH's) say it; MASTER_ADDR and
/// MASTER_PORT hold for all three. nullopt: the process was started alone. BadUsage naming the variable that
/// is missing or makes no sense.
Result<std::optional<RankPlace>> rankPlace(const Environment& environment);
Result<std::optional<RankPlace>> rankPlace();

}  // namespace reelgrid::parallel
