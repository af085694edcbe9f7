#include "core/parallel/rank_place.h"

#include <gmock/gmock.h>

#include <map>
#include <string>

namespace reelgrid::parallel {
namespace {

using Variables = std::map<std::string, std::string>;

Result<std::optional<RankPlace>> placeIn(const Variables& variables) {
    return rankPlace([&](const char* name) -> const char* {
        const auto found = variables.find(name);
        return found != variables.end() ? found->second.c_str() : nullptr;
    });
}

TEST(RankPlace, IsNoneForAProcessThatWasStartedAlone) {
    EXPECT_FALSE(placeIn({})->has_value());
    EXPECT_FALSE(placeIn({{"RANK", "0"}, {"WORLD_SIZE", "1"}})->has_value());
    // A batch script that srun didn't start.
    EXPECT_FALSE(placeIn({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "8"}})->has_value());
}

TEST(RankPlace, IsAsTorchrunSays) {
    const auto place = placeIn({{"RANK", "5"},
                                {"WORLD_SIZE", "8"},
                                {"LOCAL_RANK", "1"},
                                {"LOCAL_WORLD_SIZE", "4"},
                                {"MASTER_ADDR", "host-a"},
                                {"MASTER_PORT", "12345"},
                                {"TORCHELASTIC_USE_AGENT_STORE", "True"}})
                           .value();
    ASSERT_TRUE(place.has_value());
    EXPECT_EQ(place->rank, 5);
    EXPECT_EQ(place->ranks, 8);
    EXPECT_EQ(place->localRank, 1);
    EXPECT_EQ(place->localRanks, 4);
    EXPECT_EQ(place->address, "host-a");
    EXPECT_EQ(place->port, 12345);
    EXPECT_EQ(place->store, RankPlace::Store::OfStarter);
}

TEST(RankPlace, IsAsSrunSaysAndMeetsOnTheFirstHost) {
    Variables slurm{{"SLURM_PROCID", "2"},
                    {"SLURM_STEP_NUM_TASKS", "4"},
                    {"SLURM_LOCALID", "0"},
                    {"SLURM_STEP_NODELIST", "node[03-04,9],gpu1"}};
    const auto place = placeIn(slurm).value();
    ASSERT_TRUE(place.has_value());
    EXPECT_EQ(place->rank, 2);
    EXPECT_EQ(place->address, "node03");
    EXPECT_EQ(place->store, RankPlace::Store::OfRankZero);
    slurm.insert_or_assign("SLURM_STEP_NODELIST", std::string("gpu1,gpu2"));
    EXPECT_EQ(placeIn(slurm).value()->address, "gpu1");
    slurm.emplace("MASTER_ADDR", "other");
    EXPECT_EQ(placeIn(slurm).value()->address, "other");
}

TEST(RankPlace, IsAsMpirunSaysOnOneHostAndNeedsAnAddressOnSeveral) {
    Variables mpi{{"OMPI_COMM_WORLD_RANK", "1"},
                  {"OMPI_COMM_WORLD_SIZE", "2"},
                  {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                  {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}};
    EXPECT_EQ(placeIn(mpi).value()->address, "127.0.0.1");
    mpi.insert_or_assign("OMPI_COMM_WORLD_LOCAL_SIZE", std::string("1"));
    EXPECT_THAT(placeIn(mpi).error().message, testing::HasSubstr("MASTER_ADDR is not set"));
}

TEST(RankPlace, NamesTheVariableThatMakesNoSense) {
    EXPECT_THAT(placeIn({{"WORLD_SIZE", "4"}}).error().message, testing::HasSubstr("RANK is not set"));
    EXPECT_THAT(placeIn({{"WORLD_SIZE", "4"}, {"RANK", "4"}}).error().message,
                testing::HasSubstr("RANK 4: a whole number from 0 to 3"));
    EXPECT_THAT(placeIn({{"WORLD_SIZE", "many"}}).error().message, testing::HasSubstr("WORLD_SIZE many"));
    EXPECT_EQ(placeIn({{"WORLD_SIZE", "0"}}).error().code, ErrorCode::BadUsage);
}

}  // namespace
}  // namespace reelgrid::parallel
