#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/profile/trace.h"

namespace reelgrid::profile {

/// The traces of a render's ranks in a folder, trace_rank0.json.gz and so on, by rank. NotFound where there
/// is none, InvalidData where one before the last is missing.
Result<std::map<int, std::filesystem::path>> rankTracesIn(const std::filesystem::path& folder);

/// How a rank's exchanges with others took part in its time, in ns: the range "communication", in which its
/// thread waits for them.
struct RankCommunication {
    int rank = 0;
    std::uint64_t calls = 0;
    std::int64_t span = 0;        ///< from its first event to its last one's end
    std::int64_t waited = 0;      ///< in those ranges
    std::int64_t overlapped = 0;  ///< of it, while a device of the rank computed
};
RankCommunication communicationOf(const Trace& trace, int rank);

/// Puts a rank's events into the trace of all. Each rank's begin at 0: clocks of different hosts say nothing
/// of each other.
void addRank(const Trace& trace, int rank, Trace& all);

/// One line a rank, and what they mean, for a person.
std::string communicationTable(const std::vector<RankCommunication>& ranks);

}  // namespace reelgrid::profile
