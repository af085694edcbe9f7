#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "core/attention/call_settings.h"
#include "core/capture/captured_call.h"
#include "kernels/backends/backend_list.h"

namespace reelgrid::capture {

/// Which sparse backend's map of a captured call.
struct SparseChoice {
    const kernels::BackendInfo* backend = nullptr;
    attention::BackendOptions options{};
    double slaTopk = kernels::SparseLinear{}.topkRatio;  ///< of sla and sagesla
    /// Where the tokens lie, of captures that don't say it themselves.
    kernels::TokenGrid grid{};
};

/// "sla, sagesla, …": the backends of ours that leave blocks out.
std::string sparseBackendNames();

/// Of a call's heads, the share of the pairs of blocks that each one keeps.
struct KeptShares {
    std::string backend;
    std::vector<double> ofHead;  ///< [B · H]
    [[nodiscard]] double mean() const;
};

/// Where the tokens of a block lie in the clip, ends included.
struct BlockPlace {
    std::int64_t firstToken = 0, lastToken = 0;  ///< as the call has them
    /// Frames, rows and columns; only where the grid is known and the block has tokens of the clip.
    std::array<std::int64_t, 3> first{}, last{};
    std::int64_t clipTokens = 0;  ///< others are text
};

/// One head's map, and what the attention that was captured gives to each block.
struct KeptBlocks {
    std::string backend;
    std::vector<kernels::OptionValue> options;  ///< as they were set, with their defaults
    std::int64_t batch = 0, head = 0;
    std::int64_t queries = 0, keys = 0;
    std::int64_t queriesTogether = 0, keysTogether = 0;  ///< tokens in a block
    std::int64_t rows = 0, columns = 0;                  ///< blocks of queries, of keys
    std::vector<std::uint8_t> kept;                      ///< row · columns + column: 1 or 0
    /// Likewise: of a query's weight what the block of keys holds, the mean of the block's queries.
    std::vector<double> weights;
    std::int64_t queriesPerBlock = 0;     ///< that were computed for that, spread evenly over each block
    double keptShare = 0;                 ///< of this head's pairs of blocks
    double keptWeight = 0;                ///< of the weight of its queries, what the kept blocks hold
    std::vector<double> keptShareOfHead;  ///< of every head of this batch entry
    kernels::TokenGrid grid;              ///< not known: its frames are 0
    std::vector<BlockPlace> queryPlaces, keyPlaces;
};

/// What the backend's CPU kernel keeps of a captured call: the same bits as in the call itself on this
/// processor. BadUsage for a backend that leaves nothing out, Unsupported naming the file and what keeps the
/// backend from it.
Result<KeptShares> keptSharesOf(const CapturedCall& call, const SparseChoice& choice);

/// Likewise of one head, with the weights. BadUsage when there is no such head, Unsupported for more than
/// 4 million pairs of blocks. `progressed` is told how many rows are done.
Result<KeptBlocks> keptBlocksOf(const CapturedCall& call, const SparseChoice& choice, std::int64_t batch,
                                std::int64_t head,
                                const std::function<void(int done, int total)>& progressed);

}  // namespace reelgrid::capture
