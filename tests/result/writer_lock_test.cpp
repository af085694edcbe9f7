#include "core/result/writer_lock.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>

#include "tests/session/session_folder.h"

namespace reelgrid::result {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::HasSubstr;

/// Holds the lock of `target` in a process of its own until it is killed.
class OtherWriter {
  public:
    explicit OtherWriter(const fs::path& target) {
        int ready[2] = {-1, -1};
        if (pipe(ready) != 0) std::abort();
        m_process = fork();
        if (m_process == 0) {
            const auto lock = WriterLock::acquire(target, 0ms);
            const char answer = lock ? 'y' : 'n';
            if (write(ready[1], &answer, 1) != 1) _exit(1);
            pause();
            _exit(0);
        }
        char answer = 'n';
        m_holds = read(ready[0], &answer, 1) == 1 && answer == 'y';
        close(ready[0]);
        close(ready[1]);
    }
    ~OtherWriter() { stop(); }
    [[nodiscard]] bool holds() const { return m_holds; }
    [[nodiscard]] pid_t process() const { return m_process; }
    void stop() {
        if (m_process <= 0) return;
        kill(m_process, SIGKILL);
        waitpid(m_process, nullptr, 0);
        m_process = -1;
    }

  private:
    pid_t m_process = -1;
    bool m_holds = false;
};

TEST(WriterLock, TellsWhetherItIsHeldWithoutTouchingAnything) {
    const session::SessionFolder folder;
    const fs::path target = folder.path() / "clip.files";
    EXPECT_FALSE(WriterLock::isHeld(target));
    EXPECT_TRUE(fs::is_empty(folder.path()));
    OtherWriter other(target);
    ASSERT_TRUE(other.holds());
    EXPECT_TRUE(WriterLock::isHeld(target));
    other.stop();  // its file stays, the lock not
    EXPECT_FALSE(WriterLock::isHeld(target));
}

TEST(WriterLock, IsHeldByOneAtATime) {
    const session::SessionFolder folder;
    const fs::path target = folder.path() / "new/clip.files";
    {
        const auto first = WriterLock::acquire(target, 0ms);
        ASSERT_TRUE(first) << first.error().message;
        EXPECT_FALSE(WriterLock::acquire(target, 0ms));
        EXPECT_TRUE(WriterLock::acquire(folder.path() / "new/other.files", 0ms));
    }
    EXPECT_TRUE(WriterLock::acquire(target, 0ms));
    EXPECT_TRUE(fs::is_empty(folder.path() / "new")) << "the lock's file is gone";
}

TEST(WriterLock, NamesWhoHoldsIt) {
    const session::SessionFolder folder;
    const OtherWriter other(folder.path() / "clip.files");
    ASSERT_TRUE(other.holds());
    const auto lock = WriterLock::acquire(folder.path() / "clip.files", 10ms);
    ASSERT_FALSE(lock);
    EXPECT_EQ(lock.error().code, ErrorCode::Io);
    EXPECT_THAT(lock.error().message,
                HasSubstr("clip.files is being written by process " + std::to_string(other.process())));
}

TEST(WriterLock, EndsWithAKilledProcess) {
    const session::SessionFolder folder;
    OtherWriter other(folder.path() / "clip.files");
    ASSERT_TRUE(other.holds());
    other.stop();
    ASSERT_TRUE(fs::exists(folder.path() / ".clip.files.lock"));
    EXPECT_TRUE(WriterLock::acquire(folder.path() / "clip.files", 0ms));
    EXPECT_TRUE(fs::is_empty(folder.path()));
}

}  // namespace
}  // namespace reelgrid::result
