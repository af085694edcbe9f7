#include <gmock/gmock.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "core/base/pending_file.h"
#include "core/base/sha256.h"
#include "core/protocol/result_paths.h"
#include "core/result/clip_result.h"
#include "core/result/writer_lock.h"
#include "core/session/session.h"
#include "tests/cli/program.h"

namespace reelgrid::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

/// `compare --reuse` of the tiny model, copied so that its files can change.
class CompareReuseTest : public testing::Test {
  protected:
    TestFolder m_folder;
    fs::path m_model = m_folder.path() / "model";
    fs::path m_clip =
        m_folder.path() / "out/results/wan_result_t2v_ulysses1_ringNone_compileFalse_attn_sdpa_32x48.mp4";

    void SetUp() override {
        fs::copy(REELGRID_SOURCE_DIR "/tests/fixtures/wan/tiny-pipeline", m_model,
                 fs::copy_options::recursive);
        EXPECT_FALSE(reused());
        EXPECT_TRUE(reused()) << m_errors;
        EXPECT_THAT(m_errors, Not(HasSubstr("rendered again")));
    }

    ProgramRun compare(const std::string& types = "sdpa") {
        return runProgram({"compare", "--types", types, "--model", m_model, "--prompt", "a car", "--width",
                           "48", "--height", "32", "--num-frames", "5", "--num-inference-steps", "1",
                           "--output-dir", m_folder.file("out"), "--reuse", "--json"});
    }
    /// Runs it once more; whether it took the clip that was there.
    bool reused() {
        const ProgramRun run = compare();
        m_errors = run.errors;
        EXPECT_EQ(run.exitCode, 0) << run.errors;
        const json document = onlyDocument(run.output);
        if (!document.is_object()) return false;
        return document["results"][0]["reused"];
    }
    void expectRenderedAgain(const std::string& why) {
        EXPECT_FALSE(reused());
        EXPECT_THAT(m_errors, HasSubstr("sdpa: rendered again: " + why));
        EXPECT_TRUE(reused()) << m_errors;
    }
    [[nodiscard]] fs::path companion(const char* name) const {
        return protocol::resultFolderOf(m_clip) / name;
    }

    std::string m_errors;
};

TEST_F(CompareReuseTest, WhatCannotBeWrittenIsNotAnnounced) {
    for (const char* name : {"report.html", "session.json"}) {
        fs::remove(m_folder.path() / "out" / name);
        fs::create_directory(m_folder.path() / "out" / name);
    }
    const ProgramRun run = compare();
    EXPECT_EQ(run.exitCode, 1);
    EXPECT_THAT(run.errors, HasSubstr("report.html: it is a folder"));
    const json document = onlyDocument(run.output);
    EXPECT_FALSE(document.contains("report"));
    EXPECT_FALSE(document.contains("session"));
    EXPECT_EQ(document["results"][0]["reused"], true);
}

TEST_F(CompareReuseTest, KeepsWhatPeoplePutIntoTheSession) {
    using session::Preference;
    ASSERT_EQ(compare("sdpa,fav2").exitCode, 0);
    const fs::path file = m_folder.path() / "out/session.json";
    session::Session session = session::loadSession(file).value().session;
    ASSERT_EQ(session.clips.size(), 2U);
    const fs::path sdpa = session.clips[0].path, fav2 = session.clips[1].path;
    session.clips[1].label = "my own";
    session.loop = session::LoopRange{0, 0.125};
    session.blindVotes = {{sdpa, fav2, Preference::First}, {fav2, sdpa, Preference::Second}};
    ASSERT_TRUE(session::saveSession(session, file));
    const ProgramRun again = compare("sdpa,fav2");
    ASSERT_EQ(again.exitCode, 0) << again.errors;
    EXPECT_THAT(again.errors, Not(HasSubstr("dropped")));
    session::Session kept = session::loadSession(file).value().session;
    EXPECT_EQ(kept.blindVotes, session.blindVotes);
    EXPECT_EQ(kept.clips[1].label, "my own");
    EXPECT_EQ(kept.loop, session.loop);
    EXPECT_THAT(textOf(m_folder.path() / "out/report.html"), HasSubstr("2 pairs were shown"));

    fs::resize_file(fav2, fs::file_size(fav2) - 300);
    const ProgramRun anew = compare("sdpa,fav2");
    ASSERT_EQ(anew.exitCode, 0) << anew.errors;
    EXPECT_THAT(anew.errors, HasSubstr("note: " + file.string() +
                                       ": 2 votes were of clips that were rendered again: dropped"));
    EXPECT_THAT(anew.errors, HasSubstr("1 label was of a clip that was rendered again: dropped"));
    kept = session::loadSession(file).value().session;
    EXPECT_TRUE(kept.blindVotes.empty());
    EXPECT_NE(kept.clips[1].label, "my own");
    EXPECT_EQ(kept.loop, session.loop) << "sdpa's clip is the same";
}

TEST_F(CompareReuseTest, PutsASessionAsideThatItCannotRead) {
    const fs::path file = m_folder.path() / "out/session.json";
    ASSERT_TRUE(writeFile(file, "{"));
    const ProgramRun run = compare();
    EXPECT_EQ(run.exitCode, 0) << run.errors;
    EXPECT_THAT(run.errors, HasSubstr("; it is " + file.string() + ".old now"));
    EXPECT_EQ(textOf(file.string() + ".old"), "{");
    EXPECT_TRUE(session::loadSession(file));
    ASSERT_TRUE(writeFile(file, "["));
    EXPECT_THAT(compare().errors, HasSubstr("; it is " + file.string() + ".old.2 now"));
    EXPECT_EQ(textOf(file.string() + ".old"), "{");
}

TEST_F(CompareReuseTest, AResultFolderThatCannotBeReadIsNotCalledMissing) {
    const fs::path files = protocol::resultFolderOf(m_clip);
    fs::remove_all(files);
    fs::create_symlink(files.filename(), files);  // a circle, which root can't read either
    EXPECT_THAT(compare().errors, HasSubstr("rendered again: " + (files / "manifest.json").string() +
                                            ": Too many levels of symbolic links"));
}

TEST_F(CompareReuseTest, RendersAgainWhenTheModelChangedInPlace) {
    const fs::path scheduler = m_model / "scheduler/scheduler_config.json";
    json config = json::parse(readFile(scheduler).value());
    config["flow_shift"] = 9.0;
    ASSERT_TRUE(writeFile(scheduler, config.dump()));
    expectRenderedAgain("the model's scheduler has changed since");
}

TEST_F(CompareReuseTest, RendersAgainWhenTheClipIsNotItsOwn) {
    fs::resize_file(m_clip, fs::file_size(m_clip) - 300);
    expectRenderedAgain("the clip is not the one that its manifest.json is about");
}

TEST_F(CompareReuseTest, RendersAgainWhenTheFiguresAreAnotherClips) {
    const fs::path file = companion(protocol::kMetricsFile);
    json figures = json::parse(readFile(file).value());
    EXPECT_EQ(figures["clip_sha256"], sha256OfFile(m_clip).value());
    figures["clip_sha256"] = "5d";
    figures.erase("figures_sha256");
    ASSERT_TRUE(writeFile(file, figures.dump()));
    expectRenderedAgain(file.string() + ": it is of another clip");
}

/// As `metrics CLIP --reference X --keep` leaves it.
TEST_F(CompareReuseTest, RendersAgainWhenTheFiguresWereChanged) {
    const fs::path file = companion(protocol::kMetricsFile);
    json figures = json::parse(readFile(file).value());
    figures["frame_correlation"]["per_frame"][0] = -1e6;
    ASSERT_TRUE(writeFile(file, figures.dump()));
    expectRenderedAgain(file.string() + ": its figures aren't those that were written");
}
TEST_F(CompareReuseTest, ADriftFromAnotherClipIsMeasuredAnew) {
    ASSERT_EQ(compare("sdpa,fav2").exitCode, 0);
    std::string other = m_clip.string();
    other.replace(other.find("attn_sdpa"), 9, "attn_fav2");
    const fs::path file = protocol::resultFolderOf(other) / protocol::kMetricsFile;
    json figures = json::parse(readFile(file).value());
    EXPECT_EQ(figures["drift"]["reference"], "sdpa") << "measured beside the clip that was there";
    EXPECT_EQ(figures["drift"]["reference_sha256"], sha256OfFile(m_clip).value());
    figures["drift"] = {{"reference", "sdpa"},
                        {"reference_clip", m_clip.filename().string()},
                        {"reference_sha256", "5d"},
                        {"measured_on", "decoded clips"},
                        {"psnr", {{"mean", 12.5}, {"per_frame", {12.5}}}}};
    figures.erase("figures_sha256");
    ASSERT_TRUE(writeFile(file, figures.dump()));
    const ProgramRun again = compare("sdpa,fav2");
    ASSERT_EQ(again.exitCode, 0) << again.errors;
    const json result = onlyDocument(again.output)["results"][1];
    EXPECT_EQ(result["reused"], true);
    EXPECT_GT(result["metrics"]["drift"]["psnr"]["mean"], 20);
    EXPECT_EQ(result["metrics"]["drift"]["reference_sha256"], sha256OfFile(m_clip).value());
    json written = json::parse(readFile(file).value());
    EXPECT_EQ(written.erase("figures_sha256"), 1U);
    EXPECT_EQ(written, result["metrics"]);
    // Without a reference nothing is said.
    const json alone = onlyDocument(compare("fav2").output)["results"][0];
    EXPECT_EQ(alone["reused"], true);
    EXPECT_FALSE(alone["metrics"].contains("drift"));
}

TEST_F(CompareReuseTest, RendersAgainWhenTheTimesAreAnothers) {
    const fs::path file = companion(protocol::kTimingFile);
    json times = json::parse(readFile(file).value());
    times[0]["pipe_time"] = 0.5;
    ASSERT_TRUE(writeFile(file, times.dump()));
    expectRenderedAgain("its timing.json is not the one that its manifest.json is about");
}

TEST_F(CompareReuseTest, RendersAgainWhenAFileIsMissing) {
    for (const char* name : {protocol::kMetricsFile, protocol::kLatentsFile}) {
        fs::remove(companion(name));
        expectRenderedAgain("its " + std::string(name) + " is missing");
        EXPECT_TRUE(fs::exists(companion(name)));
    }
}

/// The clip of "default" that a folder has joins its grid, if it is of the same request: its name doesn't
/// say.
TEST_F(CompareReuseTest, AnotherPromptsDefaultClipStaysOutOfTheGrid) {
    const auto stitched = [&](const std::string& types, const std::string& prompt) {
        const ProgramRun run =
            runProgram({"compare", "--types", types, "--model", m_model, "--prompt", prompt, "--width", "48",
                        "--height", "32", "--num-frames", "5", "--num-inference-steps", "1", "--output-dir",
                        m_folder.file("out"), "--reuse", "--stitch"});
        EXPECT_EQ(run.exitCode, 0) << run.errors;
        return run.errors;
    };
    static_cast<void>(stitched("sdpa,default", "a car"));
    EXPECT_THAT(stitched("sdpa", "a car"), Not(HasSubstr("left out of the grid")));
    EXPECT_THAT(stitched("sdpa", "a dog"),
                HasSubstr("attn_default_32x48.mp4 is left out of the grid: its prompt was \"a car\""));
}

TEST_F(CompareReuseTest, SaysWhichClipsOfAnotherRequestStayInTheFolder) {
    const auto errorsOf = [&](const std::string& prompt) {
        const ProgramRun run =
            runProgram({"compare", "--types", "fav2", "--model", m_model, "--prompt", prompt, "--width", "48",
                        "--height", "32", "--num-frames", "5", "--num-inference-steps", "1", "--output-dir",
                        m_folder.file("out")});
        EXPECT_EQ(run.exitCode, 0) << run.errors;
        return run.errors;
    };
    EXPECT_THAT(errorsOf("a car"), Not(HasSubstr("another request")));
    EXPECT_THAT(errorsOf("a dog"), HasSubstr("holds clips of another request (they differ in prompt), which "
                                             "stay: " +
                                             m_clip.filename().string()));
    const ProgramRun grid =
        runProgram({"stitch", "--input-dir", m_folder.file("out"), "--output", m_folder.file("grid.mp4")});
    EXPECT_EQ(grid.exitCode, 0) << grid.errors;
    EXPECT_THAT(grid.errors, HasSubstr("the clips are not of one request: they differ in prompt"));
}

TEST_F(CompareReuseTest, FailsWhereAnotherComparisonWrites) {
    const auto lock = result::WriterLock::acquire(m_folder.path() / "out/comparison");
    ASSERT_TRUE(lock) << lock.error().message;
    const ProgramRun run = compare();
    EXPECT_EQ(run.exitCode, 1);
    EXPECT_THAT(run.errors,
                HasSubstr("out/comparison is being written by process " + std::to_string(getpid())));
    EXPECT_EQ(run.output, "");
}

TEST_F(CompareReuseTest, FailsWhereARenderWritesTheClip) {
    const auto lock = result::WriterLock::acquire(protocol::resultFolderOf(m_clip));
    ASSERT_TRUE(lock) << lock.error().message;
    fs::remove(companion(protocol::kTimingFile));
    const ProgramRun run = compare();
    EXPECT_EQ(run.exitCode, 1);
    EXPECT_THAT(run.errors, HasSubstr("is being written by process " + std::to_string(getpid())));
}

}  // namespace
}  // namespace reelgrid::cli
