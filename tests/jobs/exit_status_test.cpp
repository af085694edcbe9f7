#include "core/jobs/exit_status.h"

#include <gmock/gmock.h>
#include <sys/wait.h>

#include <csignal>

namespace reelgrid::jobs {
namespace {

using testing::HasSubstr;

TEST(DescribeExit, NamesTheSignal) {
    EXPECT_THAT(describeExit(W_EXITCODE(0, SIGSEGV)), HasSubstr("signal 11"));
    EXPECT_THAT(describeExit(W_EXITCODE(0, SIGSEGV)), Not(HasSubstr("memory")));
}

TEST(DescribeExit, GuessesMemoryForKill) {
    EXPECT_THAT(describeExit(W_EXITCODE(0, SIGKILL)), HasSubstr("signal 9"));
    EXPECT_THAT(describeExit(W_EXITCODE(0, SIGKILL)), HasSubstr("out of memory?"));
}

TEST(DescribeExit, NamesTheExitCode) {
    EXPECT_EQ(describeExit(W_EXITCODE(3, 0)), "ended with exit code 3");
}

TEST(ErrorTail, KeepsTheLastWordsOnOneLine) {
    ErrorTail tail;
    tail.append("first\n\nlast\tword\n");
    EXPECT_EQ(tail.text(), "first | last word");
}

TEST(ErrorTail, IsBounded) {
    ErrorTail tail;
    for (int i = 0; i < 1000; ++i) tail.append("a line of noise that goes on and on\n");
    tail.append("the end");
    EXPECT_LE(tail.text().size(), kMaxErrorTail);
    EXPECT_THAT(tail.text(), testing::EndsWith("the end"));
}

}  // namespace
}  // namespace reelgrid::jobs
