#include "core/jobs/inbox.h"

#include <gmock/gmock.h>

namespace reelgrid::jobs {
namespace {

WorkerSaid progress(std::size_t lane, int done) {
    return {lane, 1, protocol::JobProgress{"job", {.stage = "denoise", .done = done}}};
}

/// What waits in the inbox: how far which lane is, or -1 for the end of a worker.
std::vector<std::pair<std::size_t, int>> contentOf(Inbox& inbox) {
    std::vector<std::pair<std::size_t, int>> content;
    while (auto mail = inbox.take(std::chrono::steady_clock::now()))
        if (const auto* said = std::get_if<WorkerSaid>(&*mail))
            content.emplace_back(said->lane, std::get<protocol::JobProgress>(said->event).now.done);
        else
            content.emplace_back(std::get<WorkerExited>(*mail).lane, -1);
    return content;
}

using testing::ElementsAre;
using testing::Pair;

TEST(Inbox, KeepsTheNewestProgressOfEachLane) {
    Inbox inbox;
    for (int step = 0; step < 3; ++step)
        for (const std::size_t lane : {0, 1}) inbox.put(progress(lane, step));
    EXPECT_THAT(contentOf(inbox), ElementsAre(Pair(0, 2), Pair(1, 2)));
}

TEST(Inbox, LeavesProgressBeforeOtherMailWhereItIs) {
    Inbox inbox;
    inbox.put(progress(0, 1));
    inbox.put(WorkerExited{1, 1, "ended"});
    inbox.put(progress(0, 2));
    EXPECT_THAT(contentOf(inbox), ElementsAre(Pair(0, 1), Pair(1, -1), Pair(0, 2)));
}

TEST(Inbox, TakesProgressOfAnEarlierWorkerForItself) {
    Inbox inbox;
    inbox.put(progress(0, 7));
    WorkerSaid next = progress(0, 0);
    next.worker = 2;
    inbox.put(next);
    EXPECT_THAT(contentOf(inbox), ElementsAre(Pair(0, 7), Pair(0, 0)));
}

}  // namespace
}  // namespace reelgrid::jobs
