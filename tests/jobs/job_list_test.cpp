#include "core/jobs/job_list.h"

#include <gmock/gmock.h>

namespace reelgrid::jobs {
namespace {

protocol::RenderRequest request(const std::string& prompt) {
    protocol::RenderRequest request;
    request.prompt = prompt;
    return request;
}

const auto kAny = [](const protocol::RenderRequest&) { return true; };

TEST(JobList, TakesTurnsInTheOrderOfSubmission) {
    JobList jobs(8, 8);
    ASSERT_TRUE(jobs.add(request("a")));
    ASSERT_TRUE(jobs.add(request("b")));
    ASSERT_NE(jobs.firstQueued(kAny), nullptr);
    EXPECT_EQ(jobs.firstQueued(kAny)->request.prompt, "a");
    jobs.firstQueued(kAny)->state = JobState::Done;
    EXPECT_EQ(jobs.firstQueued(kAny)->request.prompt, "b");
}

TEST(JobList, PutsARetriedJobAtTheEnd) {
    JobList jobs(8, 8);
    const std::string first = jobs.add(request("a"))->id;
    ASSERT_TRUE(jobs.add(request("b")));
    jobs.find(first)->state = JobState::Failed;
    jobs.find(first)->error = {ErrorCode::Io, "disk"};
    const auto retried = jobs.requeue(first, Begin::AtStart);
    ASSERT_TRUE(retried) << retried.error().message;
    EXPECT_EQ(retried->attempt, 2);
    EXPECT_TRUE(retried->error.message.empty());
    EXPECT_EQ(jobs.firstQueued(kAny)->request.prompt, "b");
}

TEST(JobList, AJobGoesOnWhereStepsWereKeptUnlessTheyWereRefused) {
    JobList jobs(8, 8);
    const std::string id = jobs.add(request("a"))->id;
    Job& job = *jobs.find(id);
    EXPECT_FALSE(job.request.resume);
    job.state = JobState::Failed;
    job.error = {ErrorCode::InvalidData, "weights"};
    EXPECT_FALSE(canResume(job));
    job.stepsKept = 5;
    EXPECT_TRUE(canResume(job));
    EXPECT_TRUE(jobs.requeue(id, Begin::AtKeptStep)->request.resume);
    EXPECT_EQ(job.stepsKept, 0);
    job.state = JobState::Failed;
    job.error = {ErrorCode::InvalidData, "another render's"};
    job.stepsKept = 5;
    EXPECT_FALSE(canResume(job));
    EXPECT_FALSE(jobs.requeue(id, Begin::AtStart)->request.resume);
}

TEST(JobList, MovesWhatWaits) {
    JobList jobs(8, 8);
    std::vector<std::string> ids;
    for (const char* prompt : {"a", "b", "c", "d"}) ids.push_back(jobs.add(request(prompt))->id);
    jobs.find(ids[0])->state = JobState::Running;
    ASSERT_TRUE(jobs.moveTo(ids[3], 0));
    EXPECT_THAT(jobs.waiting(), testing::ElementsAre(ids[3], ids[1], ids[2]));
    EXPECT_EQ(jobs.firstQueued(kAny)->id, ids[3]);
    ASSERT_TRUE(jobs.moveTo(ids[3], 99));
    EXPECT_THAT(jobs.waiting(), testing::ElementsAre(ids[1], ids[2], ids[3]));
    EXPECT_FALSE(jobs.moveTo(ids[0], 1));
    EXPECT_FALSE(jobs.moveTo("no-such-job", 1));
    // What comes later waits behind what was moved.
    const std::string later = jobs.add(request("e"))->id;
    EXPECT_EQ(jobs.waiting().back(), later);
}

TEST(JobList, FindsTheFirstThatFits) {
    JobList jobs(8, 8);
    for (const char* prompt : {"a", "b", "b"}) ASSERT_TRUE(jobs.add(request(prompt)));
    const auto isB = [](const protocol::RenderRequest& each) { return each.prompt == "b"; };
    EXPECT_EQ(jobs.firstQueued(isB)->id, jobs.waiting()[1]);
    EXPECT_EQ(jobs.firstQueued([](const auto&) { return false; }), nullptr);
}

TEST(JobList, CancelsWhatWaitsAndMarksWhatRuns) {
    JobList jobs(8, 8);
    const std::string waiting = jobs.add(request("a"))->id, running = jobs.add(request("b"))->id;
    jobs.find(running)->state = JobState::Running;
    EXPECT_EQ(jobs.cancel(waiting)->state, JobState::Cancelled);
    EXPECT_EQ(jobs.cancel(running)->state, JobState::Running);
    EXPECT_TRUE(jobs.find(running)->cancelling);
    EXPECT_THAT(jobs.cancel(waiting).error().message, testing::HasSubstr("cancelled already"));
    EXPECT_FALSE(jobs.cancel("no-such-job"));
}

TEST(JobList, RefusesWhatDoesNotFit) {
    JobList jobs(2, 8);
    ASSERT_TRUE(jobs.add(request("a")));
    ASSERT_TRUE(jobs.add(request("b")));
    const auto third = jobs.add(request("c"));
    ASSERT_FALSE(third);
    EXPECT_THAT(third.error().message, testing::HasSubstr("2 jobs wait"));
}

TEST(JobList, RetriesOnlyWhatFailedOrWasCancelled) {
    JobList jobs(2, 8);
    const std::string id = jobs.add(request("a"))->id;
    EXPECT_FALSE(jobs.requeue(id, Begin::AtStart));
    jobs.find(id)->state = JobState::Done;
    EXPECT_FALSE(jobs.requeue(id, Begin::AtStart));
    EXPECT_FALSE(jobs.requeue("no-such-job", Begin::AtStart));
}

TEST(JobList, ForgetsTheOldestFinishedJobs) {
    JobList jobs(4, 3);
    for (int i = 0; i < 20; ++i) jobs.find(jobs.add(request(std::to_string(i)))->id)->state = JobState::Done;
    EXPECT_LE(jobs.all().size(), 5u);
    EXPECT_EQ(jobs.all().back().request.prompt, "19");
}

TEST(JobList, ForgetsWhatIsDoneBeforeWhatCanBeTriedAgain) {
    JobList jobs(4, 3);
    const std::string failed = jobs.add(request("failed"))->id;
    jobs.find(failed)->state = JobState::Failed;
    for (int i = 0; i < 20; ++i) jobs.find(jobs.add(request(std::to_string(i)))->id)->state = JobState::Done;
    EXPECT_NE(jobs.find(failed), nullptr);
    EXPECT_LE(jobs.all().size(), 5u);
}

}  // namespace
}  // namespace reelgrid::jobs
