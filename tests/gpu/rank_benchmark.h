#pragma once

#include <string>
#include <vector>

namespace reelgrid {

/// What of reelgrid_gpu_benchmark several processes run together, a GPU each (tests/gpu/run-ranks starts
/// them): "ranks links", "ranks MODEL ATTENTION[,…] HEIGHTxWIDTHxFRAMES[,…]", "ranks shards MODEL ATTENTION
/// HEIGHTxWIDTHxFRAMES", "ranks load MODEL FOLDER" (which gets random weights), "ranks vae
/// HEIGHTxWIDTHxFRAMES TILE[,…]". MODEL: as in timed_transformer.h. words: what follows "ranks". The exit
/// code.
int benchmarkRanks(const std::vector<std::string>& words);

}  // namespace reelgrid
