#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace reelgrid::measurements {

/// One saved call of attention, without its values.
struct CaptureRow {
    std::string file, kernel, module, branch, dtype;
    std::optional<int> layer, step;
    int callIndex = 0;
    std::vector<std::int64_t> q, k;  ///< B, H, N, D

    [[nodiscard]] int heads() const { return q.size() == 4 ? int(q[1]) : 0; }
};

/// What `captures list` says of a folder.
struct CaptureList {
    std::string folder;
    std::vector<CaptureRow> captures;
    std::vector<std::string> unreadable;  ///< a line each
};
Result<CaptureList> captureListFrom(const nlohmann::json& document);

struct ChannelOutlier {
    int head = 0, channel = 0;
    double absMax = 0, timesMedian = 0;
};

/// Of q, k or v.
struct TensorFigures {
    double elements = 0, nans = 0, infinities = 0;
    std::optional<double> mean, deviation, absMax, low, high;  ///< absent: no value is finite
    std::vector<double> histogram;
    int head = 0;                       ///< whose channels
    std::vector<double> channelAbsMax;  ///< of that head
    std::vector<ChannelOutlier> outliers;
};

/// One head's attention in blocks of queries and keys.
struct MapBlocks {
    int head = 0, rows = 0, columns = 0, queriesPerBlock = 0;
    double queries = 0, keys = 0;
    std::vector<double> means;  ///< row · columns + column
};

/// Where a block's tokens lie, ends included.
struct BlockSpot {
    std::int64_t firstToken = 0, lastToken = 0;
    /// Frames, rows and columns; absent where nobody knows them, and for blocks of text.
    std::optional<std::array<std::int64_t, 6>> inClip;
};

/// Which blocks of keys each block of one head's queries attends to, as a sparse backend chooses them.
struct KeptMap {
    std::string backend;
    std::vector<std::pair<std::string, std::string>> options;  ///< key, value
    int head = 0, rows = 0, columns = 0, queriesTogether = 0, keysTogether = 0, queriesPerBlock = 0;
    double queries = 0, keys = 0;
    double keptShare = 0;   ///< of the pairs of blocks
    double keptWeight = 0;  ///< of the queries' weight, what the kept blocks hold
    std::vector<double> keptShareOfHead;
    std::vector<bool> kept;       ///< row · columns + column
    std::vector<double> weights;  ///< likewise: of a query's weight what the block of keys holds
    std::vector<BlockSpot> queryPlaces, keyPlaces;
};

/// What `captures show` says of a capture.
struct CaptureDetails {
    CaptureRow capture;
    TensorFigures q, k, v;
    MapBlocks map;
    std::optional<KeptMap> kept;  ///< with --map
};
Result<CaptureDetails> captureDetailsFrom(const nlohmann::json& document);

}  // namespace reelgrid::measurements
