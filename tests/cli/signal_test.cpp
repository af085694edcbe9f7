#include <gmock/gmock.h>

#include <csignal>
#include <fstream>

#include "app/cli/console.h"
#include "tests/cli/program.h"

namespace reelgrid::cli {
namespace {

class EveryVerb : public testing::TestWithParam<std::vector<std::string>> {};

TEST_P(EveryVerb, EndsByOneLineOnASignalThatCameBeforeItsStart) {
    RunningProgram program(GetParam(), SIGTERM);
    const ProgramRun run = program.finish(60);
    EXPECT_EQ(run.exitCode, 1) << run.errors;
    EXPECT_EQ(run.errors, "reelgrid-cli: stopped by SIGTERM\n");
    EXPECT_EQ(run.output, "");
}

using Words = std::vector<std::string>;
INSTANTIATE_TEST_SUITE_P(Verbs, EveryVerb,
                         testing::Values(Words{"metrics", "/nowhere.mp4"}, Words{"doctor"},
                                         Words{"models", "list"}, Words{"worker"}, Words{"render", "--json"},
                                         Words{"bench", "attention"}, Words{"stitch"},
                                         Words{"tune", "--budget", "psnr>=40"}));

TEST(Worker, GoesOnAtASignalThatItsStarterHasItIgnore) {
    RunningProgram program({"worker"}, 0, SIGHUP);
    program.readLine();
    program.signal(SIGHUP);
    program.closeInput();
    const ProgramRun run = program.finish(60);
    EXPECT_EQ(run.exitCode, 0) << run.errors;
}

TEST(Printable, ShowsControlCharactersAsJsonWritesThem) {
    EXPECT_EQ(printable("a\x1b[31mred\tb\nc\r\x7f"), "a\\u001b[31mred\tb\nc\\u000d\\u007f");
    EXPECT_EQ(printable("caf\xc3\xa9 \xc2\xa9 \xc2\x9b"
                        "1m"),
              "caf\xc3\xa9 \xc2\xa9 \\u009b1m");
    // What turns the direction of the text behind it; right-to-left text itself stays as it is.
    EXPECT_EQ(printable("a\u202egpj.\u2028b\u2066c\u2069 \u05d0\u200f"),
              "a\\u202egpj.\\u2028b\\u2066c\\u2069 \u05d0\u200f");
}

/// A model folder from elsewhere names its class and its title.
TEST(Models, ShowAFilesControlCharactersEscaped) {
    const TestFolder folder;
    std::ofstream(folder.path() / "model_index.json") << R"({"_class_name": "\u001b[31mEvil"})";
    const ProgramRun run = runProgram({"models", "show", folder.path().string()});
    EXPECT_EQ(run.exitCode, 1);
    EXPECT_THAT(run.errors, testing::HasSubstr("\\u001b[31mEvil"));
    EXPECT_EQ(run.errors.find('\x1b'), run.errors.npos);
}

}  // namespace
}  // namespace reelgrid::cli
