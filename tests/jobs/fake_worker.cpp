// A worker without models. The first argument chooses how it starts ("worker": properly), the prompt of each
// request how it goes on: "ok", "slow", "previewed", "fail", "crash", "exit", "device-lost", "garbage",
// "endless", "stubborn", "half-written", "keeps-steps", "keeps-damaged-steps", "on-device" (the clip is
// called as its device), "words" (as the arguments after the first). Progress carries the process id as its
// stage, so that tests see which process did it.

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "core/base/pending_name.h"
#include "core/protocol/result_paths.h"
#include "core/protocol/worker_message.h"
#include "core/result/unfinished_render.h"
#include "tests/result/kept_state.h"

namespace {

using namespace reelgrid;
using namespace reelgrid::protocol;

std::mutex output;
std::atomic<bool> ending = false;
std::mutex cancelledJobs;
std::set<std::string> cancelled;
std::string words;  ///< written before the first job

void say(const WorkerEvent& event) {
    const std::lock_guard lock(output);
    std::cout << toLine(event) << std::endl;
}

bool isCancelled(const std::string& id) {
    const std::lock_guard lock(cancelledJobs);
    return cancelled.contains(id);
}

void progress(const std::string& id, int done, int total) {
    say(JobProgress{id, {"pid " + std::to_string(getpid()), done, total, 0.1 * done, 0.1 * (total - done)}});
}

void takeSteps(const RenderCommand& job, int steps, bool obeying) {
    for (int step = 0; step < steps; ++step) {
        progress(job.id, step, steps);
        if (obeying && isCancelled(job.id)) return say(JobCancelled{job.id});
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    say(JobDone{job.id, job.request.output});
}

void perform(const RenderCommand& job) {
    const std::string& how = job.request.prompt;
    say(JobStarted{job.id});
    if (how == "slow") return takeSteps(job, 4000, true);
    if (how == "stubborn") return takeSteps(job, 4000, false);
    if (how == "previewed") say(JobPreview{job.id, {1, 2, 1, 1, {1, 2, 3}}});
    if (how == "fail")
        return say(JobFailed{job.id, {ErrorCode::BadUsage, "--width 250: a multiple of 16 was needed"}});
    if (how == "crash") {
        std::cerr << "first words\nCUDA error: device-side assert" << std::endl;
        std::signal(SIGSEGV, SIG_DFL);  // a sanitizer would catch it
        std::raise(SIGSEGV);
    }
    if (how == "keeps-steps" || how == "keeps-damaged-steps") {
        (void)result::writeUnfinished(job.request.output, {4, 20, job.request});
        (void)result::writeKeptState(job.request.output, 5);
        if (how == "keeps-damaged-steps")
            std::filesystem::resize_file(resultFolderOf(job.request.output) / kResumeFile, 100);
        std::raise(SIGKILL);
    }
    if (how == "on-device") return say(JobDone{job.id, job.request.device.value_or("none")});
    if (how == "words") return say(JobDone{job.id, words.empty() ? "none" : words});
    if (how == "exit") std::_Exit(3);
    if (how == "device-lost") {
        ending = true;
        say(JobFailed{job.id, {ErrorCode::DeviceLost, "the GPU failed: an illegal memory access"}});
        // As long as a process with a GPU takes to end: the next job comes before that.
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        std::_Exit(1);
    }
    if (how == "garbage") {
        std::cout << "Loading checkpoint shards: 100%" << std::endl;
        return;
    }
    if (how == "endless") {
        const std::string block(1 << 16, 'x');
        while (std::cout << block) {
        }
    }
    if (how == "half-written") {
        const std::filesystem::path clip = job.request.output;
        std::ofstream(clip.parent_path() / pendingName(clip, getpid(), 0)) << "half";
        std::raise(SIGKILL);
    }
    takeSteps(job, 3, true);
}

}  // namespace

int main(int argc, char** argv) {
    const std::string start = argc > 1 ? argv[1] : "worker";
    for (int i = 2; i < argc; ++i) words += (i == 2 ? "" : " ") + std::string(argv[i]);
    if (start == "dies") {
        std::cerr << "libtorch_cpu.so: cannot open shared object file" << std::endl;
        return 127;
    }
    if (start == "silent") {
        std::this_thread::sleep_for(std::chrono::minutes(5));
        return 1;
    }
    if (start == "older") {
        std::cout << R"({"v":0,"type":"ready","version":"0.0.1"})" << std::endl;
    } else {
        say(WorkerReady{"fake"});
    }
    std::string line;
    while (std::getline(std::cin, line)) {
        const auto command = commandFromLine(line);
        if (!command || std::holds_alternative<QuitCommand>(*command)) std::_Exit(0);
        if (const auto* cancel = std::get_if<CancelCommand>(&*command)) {
            const std::lock_guard lock(cancelledJobs);
            cancelled.insert(cancel->id);
        } else if (const auto* question = std::get_if<ForecastCommand>(&*command)) {
            if (question->request.prompt == "crash") std::_Exit(3);
            if (question->request.prompt == "fail")
                say(JobFailed{question->id,
                              {ErrorCode::BadUsage, "--width 250: a multiple of 16 was needed"}});
            else
                say(Forecast{question->id,
                             {"cpu", "none", std::uint64_t(getpid()), "decode", 1000, 0, {"--dtype bf16"}}});
        } else if (!ending) {
            std::thread(perform, std::get<RenderCommand>(*command)).detach();
        }
    }
    std::_Exit(0);  // the parent is gone
}
