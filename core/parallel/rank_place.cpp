#include "core/parallel/rank_place.h"

#include <array>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <string_view>

namespace reelgrid::parallel {
namespace {

/// What a starter calls the numbers of its processes.
struct Names {
    const char *rank, *ranks, *localRank, *localRanks;
};
constexpr std::array kStarters{
    Names{"RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"},
    // Of a step alone: a batch script that srun didn't start has the job's numbers, too.
    Names{"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", nullptr},
    Names{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
          "OMPI_COMM_WORLD_LOCAL_SIZE"},
    Names{"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"},
};

constexpr int kMostRanks = 4096;

class Reader {
  public:
    explicit Reader(const Environment& environment) : m_environment(environment) {}

    [[nodiscard]] std::string_view text(const char* name) const {
        const char* value = name != nullptr ? m_environment(name) : nullptr;
        return value != nullptr ? std::string_view(value) : std::string_view();
    }
    [[nodiscard]] bool has(const char* name) const { return !text(name).empty(); }

    /// Throws Failure(BadUsage) unless it is a whole number from `least` to `most`.
    [[nodiscard]] int number(const char* name, int least, int most) const {
        const std::string_view value = text(name);
        int number = 0;
        const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
        if (error != std::errc() || end != value.data() + value.size() || number < least || number > most)
            throw Failure(ErrorCode::BadUsage, std::string("environment variable ") + name + " " +
                                                   (value.empty() ? "is not set" : std::string(value)) +
                                                   ": a whole number from " + std::to_string(least) + " to " +
                                                   std::to_string(most) + " was needed");
        return number;
    }

  private:
    const Environment& m_environment;
};

/// The first host of Slurm's list: "node[03-07,9],gpu1" → "node03".
std::string firstHost(std::string_view list) {
    const std::size_t end = list.find_first_of(",[");
    std::string host(list.substr(0, end));
    if (end == std::string_view::npos || list[end] == ',') return host;
    list.remove_prefix(end + 1);
    return host + std::string(list.substr(0, list.find_first_of("-,]")));
}

void findMeeting(RankPlace& place, const Reader& reader) {
    constexpr int kMostPort = std::numeric_limits<std::uint16_t>::max();
    if (reader.has("MASTER_PORT"))
        place.port = static_cast<std::uint16_t>(reader.number("MASTER_PORT", 1, kMostPort));
    if (reader.has("MASTER_ADDR"))
        place.address = reader.text("MASTER_ADDR");
    else if (reader.has("SLURM_STEP_NODELIST"))
        place.address = firstHost(reader.text("SLURM_STEP_NODELIST"));
    else if (place.localRanks != place.ranks)
        throw Failure(ErrorCode::BadUsage,
                      "environment variable MASTER_ADDR is not set: the host of rank 0 was needed, " +
                          std::to_string(place.ranks) + " ranks run on several hosts");
    if (reader.text("TORCHELASTIC_USE_AGENT_STORE") == "True") place.store = RankPlace::Store::OfStarter;
    if (reader.has("TORCHELASTIC_RESTART_COUNT"))
        place.attempt = reader.number("TORCHELASTIC_RESTART_COUNT", 0, kMostRanks);
}

std::optional<RankPlace> placeOf(const Reader& reader) {
    for (const Names& names : kStarters) {
        if (!reader.has(names.ranks)) continue;
        RankPlace place;
        place.ranks = reader.number(names.ranks, 1, kMostRanks);
        place.rank = reader.number(names.rank, 0, place.ranks - 1);
        if (place.ranks == 1) return std::nullopt;
        if (reader.has(names.localRank)) place.localRank = reader.number(names.localRank, 0, place.ranks - 1);
        if (reader.has(names.localRanks)) place.localRanks = reader.number(names.localRanks, 1, place.ranks);
        findMeeting(place, reader);
        return place;
    }
    return std::nullopt;
}

}  // namespace

Result<std::optional<RankPlace>> rankPlace(const Environment& environment) {
    try {
        return placeOf(Reader(environment));
    } catch (const Failure& failure) {
        return failure.error();
    }
}

Result<std::optional<RankPlace>> rankPlace() {
    return rankPlace([](const char* name) -> const char* { return std::getenv(name); });
}

}  // namespace reelgrid::parallel
