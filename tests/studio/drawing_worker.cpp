// A worker that draws a moving square instead of running a model. Prompts that ask for trouble get it: "fail"
// fails fav2's job, "fail once" its first attempt, "die" ends the process, "slow" takes ten times as long,
// "previewed" shows latents.

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

namespace {

using namespace reelgrid;
using namespace reelgrid::protocol;

constexpr int kSteps = 10;

void say(const WorkerEvent& event) {
    std::cout << toLine(event) << std::endl;
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
    bool cancelled(const std::string& id) {
        const std::scoped_lock lock(m_mutex);
        return m_cancelled.contains(id);
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

void render(const RenderCommand& command, Commands& commands) {
    const RenderRequest& request = command.request;
    say(JobStarted{command.id});
    if (request.prompt.find("die") != std::string::npos) std::_Exit(3);
    const auto step = std::chrono::milliseconds(request.prompt.find("slow") != std::string::npos ? 100 : 10);
    for (int done = 1; done <= kSteps; ++done) {
        std::this_thread::sleep_for(step);
        if (commands.cancelled(command.id)) return say(JobCancelled{command.id});
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
    say(JobDone{command.id, request.output});
}

}  // namespace

int main() {
    Commands commands;
    say(WorkerReady{"drawing"});
    while (true) render(commands.next(), commands);
}
