#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <condition_variable>
#include <mutex>

#include "core/jobs/job_queue.h"

namespace reelgrid::jobs {

inline constexpr auto kPatience = std::chrono::seconds(20);

inline JobQueueOptions fakeWorker(const std::string& start = "worker") {
    JobQueueOptions options;
    options.worker = {REELGRID_BINARY_DIR "/bin/fake_worker", {start}};
    options.startTimeout = std::chrono::seconds(10);
    return options;
}

/// Everything that a queue told, and waiting for what it will tell.
class Listener {
  public:
    JobQueue::Callback callback() {
        return [this](const Job& job) {
            const std::lock_guard lock(m_mutex);
            m_seen.push_back(job);
            m_changed.notify_all();
        };
    }
    /// The first change that fits; a failure and an empty job when none comes.
    template <class Fits>
    Job waitFor(const std::string& id, Fits fits) {
        std::unique_lock lock(m_mutex);
        Job found;
        const bool came = m_changed.wait_for(lock, kPatience, [&] {
            for (const Job& job : m_seen)
                if (job.id == id && fits(job)) {
                    found = job;
                    return true;
                }
            return false;
        });
        EXPECT_TRUE(came) << "nothing fitting was told about " << id;
        return found;
    }
    Job waitForEnd(const std::string& id) {
        return waitFor(id, [](const Job& job) { return isFinished(job.state); });
    }
    pid_t waitForProcess(const std::string& id) {
        const Job job = waitFor(id, [](const Job& one) { return one.progress.stage.starts_with("pid "); });
        return job.progress.stage.empty() ? 0 : std::stoi(job.progress.stage.substr(4));
    }
    std::vector<JobState> states(const std::string& id) {
        const std::lock_guard lock(m_mutex);
        std::vector<JobState> states;
        for (const Job& job : m_seen)
            if (job.id == id && (states.empty() || states.back() != job.state)) states.push_back(job.state);
        return states;
    }

  private:
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::vector<Job> m_seen;
};

inline std::string submit(JobQueue& queue, const std::string& prompt,
                          const std::string& output = "/tmp/none/a.mp4") {
    protocol::RenderRequest request;
    request.prompt = prompt;
    request.output = output;
    auto id = queue.submit(std::move(request));
    EXPECT_TRUE(id) << id.error().message;
    return id ? *id : std::string();
}

}  // namespace reelgrid::jobs
