// A worker that draws a moving square instead of running a model. Prompts that ask for trouble get it: "fail"
// fails fav2's job, "fail once" its first attempt, "die" ends the process, "slow" takes ten times as long,
// "previewed" shows latents. "keep" keeps the fifth step of ten to go on from (where it began is a file among
// the clip's), and with "crash" dies there; "other weights" refuses to go on.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <fstream>
#include <iostream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <thread>

#include "core/media/writer.h"
#include "core/protocol/result_paths.h"
#include "core/protocol/worker_message.h"
#include "core/result/unfinished_render.h"
#include "tests/result/kept_state.h"

namespace {

using namespace reelgrid;
using namespace reelgrid::protocol;

constexpr int kSteps = 10;
constexpr int kKeptStep = 5;

void say(const WorkerEvent& event) {
    static std::mutex output;
    const std::scoped_lock lock(output);
    std::cout << toLine(event) << std::endl;
}

bool asksFor(const RenderRequest& request, const char* words) {
    return request.prompt.find(words) != std::string::npos;
}

/// A megabyte a frame, of 40; --dtype bf16 halves it.
void foretell(const ForecastCommand& question) {
    const RenderRequest& request = question.request;
    const bool halved = request.dtype == "bf16";
    const auto frames = std::uint64_t(request.numFrames.value_or(33));
    RenderForecast forecast{
        "cpu", kOffloadNone, frames * (halved ? 500'000 : 1'000'000), "decode", 40'000'000, 0, {}};
    if (!forecast.fits()) forecast.ways = {"--vae-tiling on", "--dtype bf16"};
    if (asksFor(request, "strange"))
        return say(
            JobFailed{question.id, {ErrorCode::InvalidData, "transformer/config.json: it is damaged"}});
    say(Forecast{question.id, forecast});
}

/// Commands as they come, read by a thread of its own so that a cancel is seen during a render.
class Commands {
  public:
    Commands() {
        std::thread([this] {
            for (std::string line; std::getline(std::cin, line);) {
                auto command = commandFromLine(line);
                if (!command) continue;
                const std::scoped_lock lock(m_mutex);
                if (const auto* render = std::get_if<RenderCommand>(&*command)) m_waiting.push_back(*render);
                if (const auto* question = std::get_if<ForecastCommand>(&*command)) foretell(*question);
                if (const auto* cancel = std::get_if<CancelCommand>(&*command))
                    m_cancelled.insert(cancel->id);
                if (std::holds_alternative<QuitCommand>(*command)) break;
                m_changed.notify_all();
            }
            std::_Exit(0);
        }).detach();
    }
    RenderCommand next() {
        std::unique_lock lock(m_mutex);
        m_changed.wait(lock, [this] { return !m_waiting.empty(); });
        RenderCommand command = m_waiting.front();
        m_waiting.pop_front();
        return command;
    }
    /// Once: the same job may be tried again.
    bool takeCancel(const std::string& id) {
        const std::scoped_lock lock(m_mutex);
        return m_cancelled.erase(id) > 0;
    }

  private:
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::deque<RenderCommand> m_waiting;
    std::set<std::string> m_cancelled;
};

media::RgbVideo draw(const RenderRequest& request) {
    media::RgbVideo video;
    video.width = request.width.value_or(64);
    video.height = request.height.value_or(48);
    const int frames = request.numFrames.value_or(17);
    const int shade = 60 + int(request.attentionType.size()) * 20;
    for (int frame = 0; frame < frames; ++frame)
        for (int y = 0; y < video.height; ++y)
            for (int x = 0; x < video.width; ++x) {
                const bool inside = std::abs(x - 8 - frame) < 8 && std::abs(y - video.height / 2) < 8;
                video.pixels.insert(video.pixels.end(),
                                    {std::uint8_t(inside ? 220 : shade), std::uint8_t(x), 60});
            }
    return video;
}

void keepStep(const RenderRequest& request) {
    (void)result::writeUnfinished(request.output, {kKeptStep, kSteps, request});
    (void)result::writeKeptState(request.output, kKeptStep);
}

void render(const RenderCommand& command, Commands& commands) {
    const RenderRequest& request = command.request;
    say(JobStarted{command.id});
    if (asksFor(request, "die")) std::_Exit(3);
    if (request.resume && asksFor(request, "other weights"))
        return say(
            JobFailed{command.id, {ErrorCode::InvalidData, "--resume: its transformer's files were others"}});
    const auto step = std::chrono::milliseconds(asksFor(request, "slow") ? 100 : 10);
    const int begin = request.resume && asksFor(request, "keep") ? kKeptStep : 0;
    for (int done = begin + 1; done <= kSteps; ++done) {
        std::this_thread::sleep_for(step);
        if (done == kKeptStep && asksFor(request, "keep")) keepStep(request);
        if (done == kKeptStep && asksFor(request, "crash")) std::_Exit(3);
        if (commands.takeCancel(command.id)) return say(JobCancelled{command.id});
        say(JobProgress{command.id, {"denoise", done, kSteps, 0.01 * done, 0.01 * (kSteps - done)}});
        if (request.prompt.find("previewed") == std::string::npos) continue;
        RenderPreview preview{done, kSteps, 8, 6, {}};
        for (int pixel = 0; pixel < 8 * 6; ++pixel) preview.rgb.insert(preview.rgb.end(), {200, 100, 50});
        say(JobPreview{command.id, preview});
    }
    static std::set<std::string> failedBefore;
    const bool again = !failedBefore.insert(request.output).second;
    const bool spared = again && request.prompt.find("fail once") != std::string::npos;
    if (request.prompt.find("fail") != std::string::npos && request.attentionType == "fav2" && !spared)
        return say(
            JobFailed{command.id, {ErrorCode::OutOfMemory, "denoise: 9 GB were needed, 1 GB is free"}});
    std::filesystem::create_directories(resultFolderOf(request.output));
    if (auto written = media::writeClip(request.output, draw(request)); !written)
        return say(JobFailed{command.id, written.error()});
    const nlohmann::json timing = {{{"pipe_time", 3.5},
                                    {"vae_decode_time", 1.0},
                                    {"stages", {{"load", 0.5}, {"denoise", 2.0}, {"decode", 1.0}}},
                                    {"steps", {1.0, 1.0}}}};
    std::ofstream(resultFolderOf(request.output) / kTimingFile) << timing.dump();
    if (asksFor(request, "keep")) std::ofstream(resultFolderOf(request.output) / "began_at") << begin;
    result::removeUnfinished(request.output);
    say(JobDone{command.id, request.output});
}

}  // namespace

int main() {
    Commands commands;
    say(WorkerReady{"drawing"});
    while (true) render(commands.next(), commands);
}
