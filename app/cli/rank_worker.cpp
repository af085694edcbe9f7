#include "app/cli/rank_worker.h"

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>
#include <utility>

#include "app/cli/rank_options.h"
#include "core/base/json.h"

namespace reelgrid::cli {
namespace {

/// A job that is none: the worker ends.
constexpr const char* kNoMore = "end";

std::string keyOfJob(int number) {
    return "job/" + std::to_string(number);
}

/// Waits for the first rank to tell; nothing once it ends. Throws Failure where it is gone.
std::optional<protocol::RenderRequest> nextJob(parallel::RankGroup& group, int number) {
    constexpr std::chrono::milliseconds kBetweenAsks{20};
    constexpr int kAsksBetweenLooks = 50;
    for (int polls = 1;; ++polls) {
        if (const auto told = group.store().get(keyOfJob(number))) {
            if (*told == kNoMore) return std::nullopt;
            return protocol::renderRequestFromJson(parseJson(*told, "a job").value()).value();
        }
        if (polls % kAsksBetweenLooks == 0) group.watch().check();
        std::this_thread::sleep_for(kBetweenAsks);
    }
}

}  // namespace

RankJobs::~RankJobs() {
    try {
        m_group.store().put(keyOfJob(m_jobs), kNoMore);
    } catch (const Failure&) {
        // Nobody is left.
    }
}

Result<std::string> RankJobs::render(const protocol::RenderRequest& request,
                                     const protocol::ProgressCallback& progress,
                                     const protocol::PreviewCallback& preview, std::stop_token stop) {
    try {
        m_group.store().put(keyOfJob(m_jobs++), printJson(protocol::toJson(request)));
    } catch (const Failure& failure) {
        return Error{ErrorCode::DeviceLost, failure.error().message};
    }
    auto clip = m_renderer.render(request, progress, std::move(stop), preview);
    if (clip || clip.error().code == ErrorCode::Cancelled) return clip;
    m_group.watch().ends(clip.error());
    return Error{ErrorCode::DeviceLost, clip.error().message};
}

int serveFirstRank(parallel::RankGroup& group, const machine::LocalMachine& machine) {
    pipeline::Renderer renderer(machine, &group);
    try {
        for (int number = 0;; ++number) {
            const auto request = nextJob(group, number);
            if (!request) return 0;
            const auto done = renderer.render(*request, {}, {});
            if (!done && done.error().code != ErrorCode::Cancelled) endRank(group, done.error());
        }
    } catch (const Failure& failure) {
        endRank(group, failure.error());
    }
}

}  // namespace reelgrid::cli
