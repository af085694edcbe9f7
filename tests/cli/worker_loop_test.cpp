#include "app/cli/worker_loop.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <array>
#include <future>

#include "core/base/version.h"
#include "core/jobs/file_descriptor.h"
#include "core/protocol/worker_message.h"

namespace reelgrid::cli {
namespace {

using namespace protocol;
using jobs::FileDescriptor;

struct Pipe {
    Pipe() {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) != 0) return;
        reading = FileDescriptor(ends[0]);
        writing = FileDescriptor(ends[1]);
    }
    FileDescriptor reading;
    FileDescriptor writing;
};

/// Served with two jobs waiting and an input that stays open.
class WorkerLoop : public testing::Test {
  protected:
    Result<void> serve(RenderJob render, ForecastJob forecast = {}) {
        const std::string commands = toLine(WorkerCommand(RenderCommand{"first", {}})) + "\n" +
                                     toLine(WorkerCommand(RenderCommand{"second", {}})) + "\n";
        EXPECT_EQ(write(m_input.writing.get(), commands.data(), commands.size()),
                  static_cast<ssize_t>(commands.size()));
        return serveJobs(m_input.reading.get(), m_output.writing.get(), std::move(render),
                         std::move(forecast), {});
    }
    void quit() { command(QuitCommand{}); }
    void command(const WorkerCommand& command) {
        const std::string line = toLine(command) + "\n";
        EXPECT_EQ(write(m_input.writing.get(), line.data(), line.size()), static_cast<ssize_t>(line.size()));
    }
    /// Everything that was said; the output is closed for it.
    std::string said() {
        m_output.writing.reset();
        std::string text;
        std::array<char, 4096> buffer;
        for (ssize_t count; (count = read(m_output.reading.get(), buffer.data(), buffer.size())) > 0;)
            text.append(buffer.data(), static_cast<std::size_t>(count));
        return text;
    }

  private:
    Pipe m_input, m_output;
};

TEST_F(WorkerLoop, EndsWithTheJobWhoseGpuFailed) {
    int rendered = 0;
    const auto served =
        serve([&](const auto&, const auto&, const auto&, std::stop_token) -> Result<std::string> {
            if (++rendered == 2) quit();
            return Error{ErrorCode::DeviceLost, "the GPU failed: an illegal memory access"};
        });
    ASSERT_FALSE(served);
    EXPECT_EQ(served.error().code, ErrorCode::DeviceLost);
    EXPECT_EQ(rendered, 1);
    EXPECT_EQ(said(), toLine(WorkerEvent(WorkerReady{kVersion})) + "\n" +
                          toLine(WorkerEvent(JobStarted{"first"})) + "\n" +
                          toLine(WorkerEvent(JobFailed{"first", served.error()})) + "\n");
}

TEST_F(WorkerLoop, GoesOnAfterAnyOtherFailure) {
    int rendered = 0;
    const auto served =
        serve([&](const auto&, const auto&, const auto&, std::stop_token) -> Result<std::string> {
            if (++rendered == 1) return Error{ErrorCode::OutOfMemory, "too large"};
            quit();
            return std::string("/tmp/second.mp4");
        });
    EXPECT_TRUE(served) << served.error().message;
    EXPECT_EQ(rendered, 2);
    EXPECT_THAT(said(), testing::EndsWith(toLine(WorkerEvent(JobStarted{"second"})) + "\n" +
                                          toLine(WorkerEvent(JobDone{"second", "/tmp/second.mp4"})) + "\n"));
}

TEST_F(WorkerLoop, AnswersForecastsBesideARender) {
    std::promise<void> asked;
    int rendered = 0;
    const auto served = serve(
        [&](const auto&, const auto&, const auto&, std::stop_token) -> Result<std::string> {
            if (++rendered == 1) {
                command(ForecastCommand{"f1", {}});
                EXPECT_EQ(asked.get_future().wait_for(std::chrono::seconds(20)), std::future_status::ready);
            } else {
                quit();
            }
            return std::string("/tmp/clip.mp4");
        },
        [&](const RenderRequest&) -> Result<RenderForecast> {
            asked.set_value();
            return RenderForecast{"cpu", "none", 5, "decode", 6, 0, {}};
        });
    EXPECT_TRUE(served) << served.error().message;
    EXPECT_THAT(said(), testing::HasSubstr(
                            toLine(WorkerEvent(Forecast{"f1", {"cpu", "none", 5, "decode", 6, 0, {}}}))));
}

}  // namespace
}  // namespace reelgrid::cli
