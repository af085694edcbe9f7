#pragma once

#include <cstdint>
#include <vector>

#include "core/parallel/degrees.h"

namespace reelgrid::parallel {

/// What one forward pass of a transformer computes and exchanges, from its configuration.
struct PassWork {
    std::int64_t layers = 0, heads = 0;
    std::int64_t channels = 0;       ///< of a token: heads × head dim
    std::int64_t tokens = 0;         ///< that attend to each other
    double attentionFlops = 0;       ///< of that attention, in all layers
    double otherFlops = 0;           ///< of all the rest
    std::int64_t outputValues = 0;   ///< that a token's prediction has
    std::int64_t bytesPerValue = 2;  ///< of what layers exchange
    std::uint64_t layerBytes = 0;    ///< of a layer's weights
};

/// What one card reaches.
struct CardRates {
    double attention = 0, other = 0;  ///< FLOP/s
    double memory = 0;                ///< bytes a second that copies read and write; 0: they take no time
};

/// Of one GPU, in one direction, and to one that it is told of.
struct Link {
    double bytesPerSecond = 0;
    double latencySeconds = 0;
};

/// GPUs as they are connected: so many in each host.
struct Links {
    int gpusPerHost = 8;
    Link inHost, betweenHosts;
};

/// What each rank holds of the layers' weights.
enum class WeightsOnRank { All, Shard };

/// The seconds of one denoising step on ranks that share it so.
struct StepPlan {
    Degrees degrees;
    double compute = 0;
    double ulysses = 0;  ///< exchanges of tokens for heads, and the copies around them
    double ring = 0;     ///< what of passing keys and values on isn't hidden behind attention, and its merges
    double gather = 0;   ///< predictions, of tokens and of branches
    double weights = 0;  ///< what of gathering layers isn't hidden behind the layer before
    [[nodiscard]] double seconds() const { return compute + ulysses + ring + gather + weights; }
};

/// The step of `passes` passes (2 under guidance) by a model of what ranks do:
///   tokens      filled up to a multiple of ring × ulysses; each rank computes its share
///   Ulysses     four exchanges a layer: each rank sends (u − 1) / u of its part of q, k, v and the output,
///               and reads and writes memory beside that
///   ring        keys and values are copied once and travel on. Within a host that is not hidden behind the
///               attention to the last ones, though it runs beside it: NCCL and attention keep each other
///               from multiprocessors, as two and four H100 showed. Between hosts, where the network is what
///               takes the time, only what is longer than that attention counts. Outputs are merged part by
///               part, in fp32 up to the last
///   gathering   each rank gets all predictions of a pass in fp32; branches exchange theirs once a step
///   weights     of shards each rank gets all others' of the next layer while one computes: only what is
///               longer than that layer's compute counts
/// Ranks that exchange more are nearer: Ulysses, then the ring, then branches. A group that fits in a host
/// whole uses its links, another one the network.
StepPlan planStep(const PassWork& work, int passes, const Degrees& degrees, const CardRates& card,
                  const Links& links, WeightsOnRank weights = WeightsOnRank::All);

/// All degrees that so many ranks can take: Ulysses by divisors of the heads, guidance parallel where there
/// are two passes; a ring only where `mayRing`. The fastest first, of equal ones the one with less ring.
std::vector<StepPlan> plansFor(int ranks, const PassWork& work, int passes, bool mayRing,
                               const CardRates& card, const Links& links,
                               WeightsOnRank weights = WeightsOnRank::All);

}  // namespace reelgrid::parallel
