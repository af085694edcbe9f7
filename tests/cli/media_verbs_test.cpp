#include <gmock/gmock.h>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/pending_file.h"
#include "core/base/sha256.h"
#include "core/media/clip.h"
#include "core/media/rgb.h"
#include "core/media/writer.h"
#include "tests/cli/fake_ffmpeg.h"
#include "tests/cli/program.h"
#include "tests/cli/small_clip.h"
#include "tests/media/gif_delays.h"

namespace reelgrid::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

class MediaVerbs : public testing::Test {
  protected:
    void SetUp() override {
        writeSmallClip(m_folder.path() / "wan_result_t2v_attn_sdpa_48x64.mp4", 8, 40);
        writeSmallClip(m_folder.path() / "wan_result_t2v_attn_fav2_48x64.mp4", 5, 60);
        writeSmallClip(m_folder.path() / "holiday.mp4", 5, 60);
        // What killed processes leave, as it is named now and as it was.
        for (const char* left : {".wan_result_t2v_attn_sla_48x64.mp4.partial-552-3.mp4",
                                 "wan_result_t2v_attn_sagev1_48x64.mp4.partial-552-3.mp4"})
            std::ofstream(m_folder.path() / left) << "half";
    }
    TestFolder m_folder;
};

TEST_F(MediaVerbs, StitchFindsTheRendersOfAFolder) {
    const std::string grid = m_folder.file("grid.mp4");
    const ProgramRun run = runProgram({"stitch", "--input_dir", m_folder.path(), "--output", grid, "--json"});
    ASSERT_EQ(run.exitCode, 0) << run.errors;
    const json document = onlyDocument(run.output);
    ASSERT_TRUE(document.is_object()) << run.output;
    EXPECT_EQ(document["output"], grid);
    ASSERT_EQ(document["clips"].size(), 2u);
    EXPECT_EQ(document["clips"][0]["label"], "fav2");
    EXPECT_EQ(document["clips"][1]["label"], "sdpa");
    const auto clip = media::Clip::open(grid);
    ASSERT_TRUE(clip) << clip.error().message;
    EXPECT_EQ((*clip)->info().frameCount(), 8);
    EXPECT_EQ((*clip)->info().width, document["width"]);
}

/// The exit code of the program in a shell.
int exitCodeIn(const std::string& before, const std::string& arguments) {
    const std::string line = before + " exec '" REELGRID_BINARY_DIR "/bin/reelgrid-cli' " + arguments;
    const int status = std::system(line.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST_F(MediaVerbs, AResultThatCannotBeWrittenIsAFailure) {
    const std::string errors = " 2>'" + m_folder.file("errors") + "'";
    const std::string metrics = "metrics '" + m_folder.file("holiday.mp4") + "'";
    for (const std::string& arguments :
         {std::string("--help"), std::string("render --help"), std::string("--version"), metrics}) {
        EXPECT_EQ(exitCodeIn("", arguments + " >/dev/null" + errors), 0) << arguments;
        EXPECT_EQ(exitCodeIn("", arguments + " >/dev/full" + errors), 1) << arguments;
        EXPECT_EQ(exitCodeIn("", arguments + " >&-" + errors), 1) << arguments;
        EXPECT_THAT(readFile(m_folder.file("errors")).value(), HasSubstr("can't write the result to stdout"));
    }
}

/// Likewise, but nobody reads that stream any more.
int exitCodeUnread(int stream, const std::string& arguments) {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) return -1;
    close(ends[0]);
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], stream);
        _exit(exitCodeIn("", arguments));
    }
    close(ends[1]);
    int status = 0;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
}

TEST_F(MediaVerbs, AReaderOfStderrThatWentAwayEndsNothing) {
    const std::string grid = m_folder.file("grid.mp4");
    const std::string clip = "'" + m_folder.file("holiday.mp4") + "'";
    EXPECT_EQ(exitCodeUnread(STDERR_FILENO,
                             "stitch " + clip + " --pattern '*.mp4' --output '" + grid + "' >/dev/null"),
              0)
        << "a note isn't read";
    EXPECT_TRUE(std::filesystem::exists(grid));
    EXPECT_EQ(exitCodeUnread(STDOUT_FILENO, "--version"), 128 + SIGPIPE) << "as other programs";
}

TEST_F(MediaVerbs, ALimitOnFilesIsToldAndLeavesNothing) {
    const std::string grid = m_folder.file("grid.mp4");
    EXPECT_EQ(exitCodeIn("ulimit -f 1;", "stitch --input-dir '" + m_folder.path().string() + "' --output '" +
                                             grid + "' >/dev/null 2>'" + m_folder.file("errors") + "'"),
              1);
    for (const auto& entry : std::filesystem::directory_iterator(m_folder.path()))
        EXPECT_THAT(entry.path().filename().string(), testing::Not(HasSubstr("grid"))) << "a partial file";
}

TEST_F(MediaVerbs, StitchTakesPatternFontSizeAndRate) {
    const std::string grid = m_folder.file("grid.gif");
    const ProgramRun run = runProgram({"stitch", "--input_dir", m_folder.path(), "--pattern", "holi*.mp4",
                                       "--font_size", "12", "--fps", "8", "--output", grid, "--json"});
    ASSERT_EQ(run.exitCode, 0) << run.errors;
    const json document = onlyDocument(run.output);
    EXPECT_EQ(document["clips"].size(), 1u);
    EXPECT_EQ(document["fps"], 8.0);
}

TEST_F(MediaVerbs, StitchTakesClipsInOrderWithLabels) {
    const ProgramRun run = runProgram({"stitch", m_folder.file("wan_result_t2v_attn_sdpa_48x64.mp4"),
                                       m_folder.file("holiday.mp4"), "--labels", "before,after", "--columns",
                                       "1", "--output", m_folder.file("grid.webm"), "--json"});
    ASSERT_EQ(run.exitCode, 0) << run.errors;
    const json document = onlyDocument(run.output);
    EXPECT_EQ(document["columns"], 1);
    EXPECT_EQ(document["clips"][0]["label"], "before");
    EXPECT_EQ(document["clips"][1]["label"], "after");
}

TEST_F(MediaVerbs, AListWithCommasEndsBeforeClips) {
    const std::string first = m_folder.file("wan_result_t2v_attn_sdpa_48x64.mp4"),
                      second = m_folder.file("holiday.mp4"), grid = m_folder.file("grid.mp4");
    const std::vector<std::vector<std::string>> spellings{
        {"--labels", "before,after", first, second},
        {"--labels=before,after", first, second},
        {first, "--labels", "before,after", second},
        {"--labels", "before", "after", "--", first, second}};
    for (std::vector<std::string> arguments : spellings) {
        arguments.insert(arguments.begin(), {"stitch", "--output", grid, "--json"});
        const ProgramRun run = runProgram(arguments);
        ASSERT_EQ(run.exitCode, 0) << run.errors;
        const json clips = onlyDocument(run.output)["clips"];
        ASSERT_EQ(clips.size(), 2u);
        EXPECT_EQ(clips[0]["label"], "before");
        EXPECT_EQ(clips[1]["label"], "after");
    }
    const ProgramRun metrics = runProgram({"metrics", "--metrics", "lpips,none", first});
    EXPECT_EQ(metrics.exitCode, 2);
    EXPECT_THAT(metrics.errors, HasSubstr("none"));
}

TEST_F(MediaVerbs, AListWithoutCommasThatTookTheClipsSaysSo) {
    const std::string clip = m_folder.file("holiday.mp4");
    for (const auto& [verb, option, word] :
         {std::array{"stitch", "--labels", "before"}, {"metrics", "--metrics", "lpips"}}) {
        const ProgramRun run = runProgram({verb, option, word, clip});
        EXPECT_EQ(run.exitCode, 2);
        EXPECT_THAT(run.errors, HasSubstr(std::string(option) + " took " + clip + ", which is a file"));
        EXPECT_THAT(runProgram({verb, "--help"}).output,
                    HasSubstr(std::string(option) + " takes all words behind it"));
    }
}

TEST_F(MediaVerbs, AnOptionBehindAListIsNoEntryOfIt) {
    const std::string clip = m_folder.file("holiday.mp4");
    const ProgramRun run =
        runProgram({"stitch", clip, clip, "--labels", "--output", m_folder.file("no.mp4")});
    EXPECT_EQ(run.exitCode, 2);
    EXPECT_THAT(run.errors, HasSubstr("--labels: \"--output\" is an option, some text before it was needed"));
}

TEST_F(MediaVerbs, FramesThatLastUnequallyAreSaidOnce) {
    const std::string even = m_folder.file("even.gif"), close = m_folder.file("close.gif"),
                      far = m_folder.file("far.gif");
    for (const std::string& gif : {even, close, far}) writeSmallClip(gif, 5, 40);
    ASSERT_TRUE(media::setGifDelays(close, {5, 7, 5, 7, 7}));
    ASSERT_TRUE(media::setGifDelays(far, {5, 20, 5, 7, 50}));
    const std::string aboutClose =
        "note: " + close + ": its frames last from 50 to 70 ms each; they are taken at 17 frames/s\n";
    const std::string aboutFar = "note: " + far +
                                 ": its frames last from 50 to 500 ms each; each is shown at its own time, "
                                 "and 5.747 frames/s is taken as their rate\n";
    const auto check = [&](const std::vector<std::string>& arguments, const std::string& clip,
                           const std::string& note) {
        const ProgramRun run = runProgram(arguments);
        ASSERT_EQ(run.exitCode, 0) << run.errors;
        const std::size_t first = run.errors.find(note);
        ASSERT_NE(first, std::string::npos) << run.errors;
        EXPECT_EQ(run.errors.find("note: " + clip, first + 1), std::string::npos) << run.errors;
        EXPECT_THAT(run.errors, Not(HasSubstr(even + ": its frames")));
    };
    check({"stitch", even, close, "--output", m_folder.file("grid.mp4")}, close, aboutClose);
    check({"stitch", even, far, "--output", m_folder.file("grid.mp4")}, far, aboutFar);
    check({"metrics", close}, close, aboutClose);
    check({"metrics", even, "--reference", far}, far, aboutFar);
    check({"metrics", even, close}, close, aboutClose);
    check({"metrics", even, close, "--reference", close}, close, aboutClose);
    check({"metrics", even, even, "--reference", far}, far, aboutFar);
}

TEST_F(MediaVerbs, WhatIsSaidOfClipsIsInTheDocument) {
    const std::string even = m_folder.file("even.gif"), odd = m_folder.file("odd.gif");
    for (const std::string& gif : {even, odd}) writeSmallClip(gif, 5, 40);
    ASSERT_TRUE(media::setGifDelays(odd, {5, 7, 5, 7, 7}));
    const auto documentOf = [](std::vector<std::string> arguments) {
        arguments.emplace_back("--json");
        return onlyDocument(runProgram(arguments).output);
    };
    const json notes = {odd + ": its frames last from 50 to 70 ms each; they are taken at 17 frames/s"};
    EXPECT_EQ(documentOf({"stitch", even, odd, "--output", m_folder.file("grid.mp4")})["notes"], notes);
    EXPECT_FALSE(documentOf({"stitch", even, "--output", m_folder.file("grid.mp4")}).contains("notes"));
    EXPECT_EQ(documentOf({"metrics", odd})["notes"], notes);
    EXPECT_FALSE(documentOf({"metrics", even}).contains("notes"));
    const json both = documentOf({"metrics", even, odd});
    EXPECT_FALSE(both["clips"][0].contains("notes"));
    EXPECT_EQ(both["clips"][1]["notes"], notes);
    EXPECT_EQ(documentOf({"metrics", even, even, "--reference", odd})["notes"], notes);
}

TEST_F(MediaVerbs, StitchLeavesNothingBehindWhenAClipIsCorrupt) {
    std::ofstream(m_folder.path() / "broken.mp4") << "not a video";
    const ProgramRun run = runProgram({"stitch", m_folder.file("holiday.mp4"), m_folder.file("broken.mp4"),
                                       "--output", m_folder.file("grid.mp4")});
    EXPECT_EQ(run.exitCode, 1);
    EXPECT_THAT(run.errors, HasSubstr("broken.mp4"));
    for (const auto& entry : std::filesystem::directory_iterator(m_folder.path()))
        EXPECT_THAT(entry.path().filename().string(), testing::Not(HasSubstr("grid")));
}

TEST_F(MediaVerbs, MetricsAgainstAReferenceIsOneDocument) {
    const ProgramRun run = runProgram({"metrics", m_folder.file("holiday.mp4"), "--reference",
                                       m_folder.file("wan_result_t2v_attn_sdpa_48x64.mp4"), "--json"});
    ASSERT_EQ(run.exitCode, 0) << run.errors;
    const json document = onlyDocument(run.output);
    ASSERT_TRUE(document.is_object()) << run.output;
    EXPECT_EQ(document["frames"], 5);
    EXPECT_EQ(document["frame_correlation"]["per_frame"].size(), 4u);
    EXPECT_EQ(document["psnr"]["per_frame"].size(), 5u);
    EXPECT_GT(document["psnr"]["mean"], 15.0);
    EXPECT_LT(document["psnr"]["mean"], 30.0);
    EXPECT_LT(document["ssim"]["mean"], 1.0);
}

TEST_F(MediaVerbs, APlaylistIsNoClip) {
    std::ofstream(m_folder.path() / "clip.mp4")
        << "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:1,\nholiday.mp4\n"
           "#EXT-X-ENDLIST\n";
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"metrics", m_folder.file("clip.mp4")},
          {"stitch", m_folder.file("clip.mp4"), "--output", m_folder.file("grid.mp4")}}) {
        const ProgramRun run = runProgram(arguments);
        EXPECT_EQ(run.exitCode, 1);
        EXPECT_EQ(run.output, "");
        EXPECT_THAT(run.errors, HasSubstr("HTTP Live Streaming"));
    }
}

TEST_F(MediaVerbs, MetricsWithoutReferenceHasNoPsnr) {
    const json document =
        onlyDocument(runProgram({"metrics", m_folder.file("holiday.mp4"), "--json"}).output);
    ASSERT_TRUE(document.is_object());
    EXPECT_TRUE(document.contains("flickering"));
    EXPECT_FALSE(document.contains("psnr"));
}

TEST_F(MediaVerbs, MetricsAsCsvHasALineAFrame) {
    const ProgramRun run = runProgram({"metrics", m_folder.file("holiday.mp4"), "--csv"});
    ASSERT_EQ(run.exitCode, 0);
    EXPECT_EQ(std::count(run.output.begin(), run.output.end(), '\n'), 6);
}

TEST_F(MediaVerbs, MetricsWithoutTheirWeightsAreNamedAndNothingElseIsPrinted) {
    const std::map<std::string, std::string> bare{{"HF_HUB_CACHE", m_folder.file("no-cache")},
                                                  {"TORCH_HOME", m_folder.file("no-torch")},
                                                  {"REELGRID_FFMPEG", "/nowhere/ffmpeg"}};
    const auto said = [&](const std::string& metric, const std::vector<std::string>& more) {
        std::vector<std::string> words{"metrics", m_folder.file("holiday.mp4"), "--metrics", metric};
        words.insert(words.end(), more.begin(), more.end());
        const ProgramRun run = runProgram(words, "", bare);
        EXPECT_NE(run.exitCode, 0);
        EXPECT_THAT(run.output, testing::IsEmpty());
        return run.errors;
    };
    const std::vector<std::string> reference{"--reference", m_folder.file("holiday.mp4")};
    EXPECT_THAT(said("lpips", {}), HasSubstr("--metrics lpips: --reference was needed"));
    EXPECT_THAT(said("lpips", reference),
                HasSubstr("lpips needs weights: torchvision's alexnet-owt-7be5be79.pth"));
    EXPECT_THAT(said("clip", {}), HasSubstr("models download openai/clip-vit-base-patch32"));
    EXPECT_THAT(said("vmaf", reference), HasSubstr("can't start /nowhere/ffmpeg"));
}

TEST_F(MediaVerbs, TheMetricsThatCanBeComputedAreListed) {
    const std::map<std::string, std::string> bare{{"HF_HUB_CACHE", m_folder.file("no-cache")},
                                                  {"TORCH_HOME", m_folder.file("no-torch")},
                                                  {"REELGRID_FFMPEG", writeFakeFfmpeg(m_folder.path())}};
    const ProgramRun run = runProgram({"metrics", "--list", "--json"}, "", bare);
    ASSERT_EQ(run.exitCode, 0) << run.errors;
    const json list = onlyDocument(run.output)["metrics"];
    ASSERT_EQ(list.size(), 7u);
    EXPECT_EQ(list[0]["name"], "lpips");
    EXPECT_EQ(list[0]["needs_reference"], true);
    EXPECT_FALSE(list[0].contains("with"));
    EXPECT_THAT(list[0]["missing"].get<std::string>(), HasSubstr("alexnet-owt-7be5be79.pth"));
    EXPECT_EQ(list[2]["measure"], "clip_score");
    EXPECT_EQ(list[6]["name"], "vmaf");
    EXPECT_EQ(list[6]["with"], "FFmpeg 7.0.2-static");
    const ProgramRun text = runProgram({"metrics", "--list"}, "", bare);
    EXPECT_THAT(text.output, HasSubstr("vmaf: FFmpeg 7.0.2-static"));
    EXPECT_THAT(text.output, HasSubstr("clip: not here: clip needs weights: openai/clip-vit-base-patch32"));
    EXPECT_EQ(runProgram({"metrics", "--list", m_folder.file("holiday.mp4")}).exitCode, 2);
    EXPECT_EQ(runProgram({"metrics"}).exitCode, 2);
}

/// What is known of a clip is of that clip, and against the reference that was asked for.
TEST_F(MediaVerbs, SeveralClipsAreMeasuredAsTheyAreNow) {
    const std::string clip = m_folder.file("wan_result_t2v_attn_fav2_48x64.mp4");
    const std::string files = m_folder.file("wan_result_t2v_attn_fav2_48x64.files");
    std::filesystem::create_directories(files);
    const json known = {
        {"frames", 5},
        {"frame_correlation", {{"mean", 0.5}, {"per_frame", {0.5, 0.5, 0.5, 0.5}}}},
        {"flickering", 0.125},
        {"warping_error", 0.25},
        {"per_frame",
         {{"flickering", {0.125, 0.125, 0.125, 0.125}}, {"warping_error", {0.25, 0.25, 0.25, 0.25}}}},
        {"drift",
         {{"reference", "sdpa"},
          {"reference_clip", "wan_result_t2v_attn_sdpa_48x64.mp4"},
          {"reference_sha256", sha256OfFile(m_folder.path() / "wan_result_t2v_attn_sdpa_48x64.mp4").value()},
          {"measured_on", "decoded clips"},
          {"psnr", {{"mean", 12.5}, {"per_frame", {12.5}}}}}}};
    std::ofstream(files + "/metrics.json") << known;
    std::ofstream(files + "/manifest.json") << json{{"clip_sha256", sha256OfFile(clip).value()}};
    const auto measured = [&](const std::string& reference) {
        const ProgramRun run = runProgram({"metrics", clip, m_folder.file("holiday.mp4"), "--json",
                                           "--reference", m_folder.file(reference)});
        EXPECT_EQ(run.exitCode, 0) << run.errors;
        return std::pair(onlyDocument(run.output)["clips"][0]["metrics"], run.errors);
    };
    const auto same = measured("wan_result_t2v_attn_sdpa_48x64.mp4").first;
    EXPECT_EQ(same["flickering"], 0.125);
    EXPECT_EQ(same["drift"]["psnr"]["mean"], 12.5);
    const auto other = measured("holiday.mp4").first;
    EXPECT_EQ(other["drift"]["reference_clip"], "holiday.mp4");
    EXPECT_EQ(other["drift"]["reference"], "") << "nothing says what rendered it";
    EXPECT_NE(other["drift"]["psnr"]["mean"], 12.5);
    // Without one it is said what the drift is from.
    const ProgramRun text = runProgram({"metrics", clip, m_folder.file("holiday.mp4")});
    EXPECT_THAT(text.output, HasSubstr("PSNR 12.50 dB"));
    EXPECT_THAT(text.output, HasSubstr("against wan_result_t2v_attn_sdpa_48x64.mp4 (SHA-256 " +
                                       known["drift"]["reference_sha256"].get<std::string>().substr(0, 12)));
    // Another clip takes the reference's place.
    const std::string reference = m_folder.file("wan_result_t2v_attn_sdpa_48x64.mp4");
    const std::string first = readFile(reference).value();
    writeSmallClip(reference, 8, 90);
    EXPECT_NE(measured("wan_result_t2v_attn_sdpa_48x64.mp4").first["drift"]["psnr"]["mean"], 12.5);
    ASSERT_TRUE(writeFile(reference, first));
    EXPECT_EQ(measured("wan_result_t2v_attn_sdpa_48x64.mp4").first["drift"]["psnr"]["mean"], 12.5);
    // Another clip takes its place.
    writeSmallClip(clip, 5, 200);
    const auto [replaced, errors] = measured("wan_result_t2v_attn_sdpa_48x64.mp4");
    EXPECT_NE(replaced["flickering"], 0.125);
    EXPECT_NE(replaced["drift"]["psnr"]["mean"], 12.5);
    EXPECT_THAT(errors, HasSubstr("manifest.json: it is about another clip than " + clip));
    const ProgramRun kept = runProgram({"metrics", clip, "--keep"});
    EXPECT_THAT(kept.errors, HasSubstr(clip + ": nothing is kept, it has no result of a render beside it"));
    EXPECT_EQ(json::parse(textOf(files + "/metrics.json")), known);
}

TEST_F(MediaVerbs, SeveralClipsThatTheReferenceDoesNotFitAreSaid) {
    const std::string clip = m_folder.file("wan_result_t2v_attn_sdpa_48x64.mp4"),
                      short5 = m_folder.file("holiday.mp4");
    const std::string grid = m_folder.file("grid.mp4");
    ASSERT_EQ(runProgram({"stitch", clip, clip, "--output", grid}).exitCode, 0);
    const ProgramRun other = runProgram({"metrics", clip, short5, "--reference", grid, "--json"});
    EXPECT_EQ(other.exitCode, 2);
    EXPECT_THAT(other.errors, HasSubstr("the reference clip " + grid + " has pictures of another size"));
    const ProgramRun fewer = runProgram({"metrics", clip, short5, "--reference", short5});
    EXPECT_EQ(fewer.exitCode, 0);
    EXPECT_THAT(fewer.errors, HasSubstr(clip + ": 5 of 8 frames compared: the reference has 5"));
}

TEST_F(MediaVerbs, AReferenceOfOtherFramesIsSaid) {
    const std::string clip = m_folder.file("wan_result_t2v_attn_sdpa_48x64.mp4"),
                      short5 = m_folder.file("holiday.mp4"), fast = m_folder.file("fast.mp4");
    for (const std::vector<std::string>& clips : {std::vector{short5}, {short5, clip}}) {
        std::vector<std::string> words{"metrics", "--reference", clip};
        words.insert(words.end(), clips.begin(), clips.end());
        const ProgramRun run = runProgram(words);
        EXPECT_EQ(run.exitCode, 0) << run.errors;
        EXPECT_THAT(run.errors, HasSubstr(short5 + ": 5 of 5 frames compared: the reference has 8"));
        EXPECT_THAT(run.errors, Not(HasSubstr("frames/s")));
    }
    media::RgbVideo video = media::readRgb(clip).value();
    video.fps = {24, 1};
    ASSERT_TRUE(media::writeClip(fast, video));
    const ProgramRun rates = runProgram({"metrics", clip, "--reference", fast});
    EXPECT_EQ(rates.exitCode, 0) << rates.errors;
    EXPECT_THAT(rates.errors, HasSubstr("frames/s, the reference 24: frame n is held against frame n"));
    EXPECT_THAT(rates.errors, Not(HasSubstr("frames compared")));
}

TEST_F(MediaVerbs, PixelsOfOtherShapesAreHeldAgainstEachOtherAsTheyAreCoded) {
    const std::string square = m_folder.file("holiday.mp4"), wide = m_folder.file("wide.mp4");
    const std::string copy = "ffmpeg -v error -i '" + square + "' -c copy -aspect 8:3 '" + wide + "'";
    ASSERT_EQ(std::system(copy.c_str()), 0) << copy;
    ASSERT_EQ(media::Clip::open(wide).value()->info().width, 128);
    for (const std::vector<std::string>& clips : {std::vector{wide}, {wide, square}}) {
        std::vector<std::string> words{"metrics", "--reference", square};
        words.insert(words.end(), clips.begin(), clips.end());
        const ProgramRun run = runProgram(words);
        EXPECT_EQ(run.exitCode, 0) << run.errors;
        EXPECT_THAT(run.errors,
                    HasSubstr(wide + ": its pixels are 2:1, the reference's 1:1: they are held against each "
                                     "other as they are coded"));
        EXPECT_THAT(run.output, HasSubstr("100.00"));
    }
    const ProgramRun alike = runProgram({"metrics", wide, "--reference", wide});
    EXPECT_EQ(alike.exitCode, 0) << alike.errors;
    EXPECT_THAT(alike.errors, Not(HasSubstr("its pixels are")));
}

TEST_F(MediaVerbs, OptionsThatDecideNothingAreSaid) {
    const std::string clip = m_folder.file("holiday.mp4");
    const ProgramRun metrics = runProgram({"metrics", clip, "--device", "cpu", "--prompt", "a beach"});
    EXPECT_EQ(metrics.exitCode, 0);
    for (const char* option : {"--device", "--prompt"})
        EXPECT_THAT(metrics.errors, HasSubstr(std::string("note: ") + option + " decides nothing here"));
    const ProgramRun grid =
        runProgram({"stitch", clip, clip, "--input-dir", "none", "--pattern", "*.mp4", "--labels", "a,b",
                    "--font-size", "0", "--output", m_folder.file("grid.mp4")});
    EXPECT_EQ(grid.exitCode, 0) << grid.errors;
    for (const char* option : {"--input-dir", "--pattern", "--labels"})
        EXPECT_THAT(grid.errors, HasSubstr(std::string("note: ") + option + " decides nothing here"));
}

TEST_F(MediaVerbs, SeveralClipsAreMeasuredAndResultsKeepWhatIs) {
    const std::string reference = m_folder.file("wan_result_t2v_attn_sdpa_48x64.mp4");
    const std::string result = m_folder.file("wan_result_t2v_attn_fav2_48x64.mp4");
    const std::string files = m_folder.file("wan_result_t2v_attn_fav2_48x64.files");
    std::filesystem::create_directories(files);
    std::ofstream(files + "/manifest.json") << "{}";
    const std::string ffmpeg = writeFakeFfmpeg(m_folder.path());
    const auto measure = [&](const std::vector<std::string>& clips) {
        std::vector<std::string> words{"metrics", "--metrics", "vmaf",  "--reference",
                                       reference, "--keep",    "--json"};
        words.insert(words.end(), clips.begin(), clips.end());
        return runProgram(words, "", {{"REELGRID_FFMPEG", ffmpeg}});
    };
    const auto scored = [&] { return timesScored(ffmpeg); };
    const ProgramRun first = measure({reference, result, m_folder.file("holiday.mp4")});
    ASSERT_EQ(first.exitCode, 0) << first.errors;
    const json clips = onlyDocument(first.output)["clips"];
    ASSERT_EQ(clips.size(), 3u);
    EXPECT_FALSE(clips[0]["metrics"].contains("drift")) << "the reference itself";
    EXPECT_EQ(clips[1]["kept"], true);
    EXPECT_EQ(clips[1]["metrics"]["drift"]["vmaf"]["mean"], 90.0);
    EXPECT_EQ(clips[2]["kept"], false) << "no result of a render";
    EXPECT_EQ(clips[2]["metrics"]["drift"]["vmaf"]["mean"], 90.0);
    EXPECT_EQ(scored(), 2);
    const json kept = json::parse(textOf(files + "/metrics.json"));
    json figures = kept;
    EXPECT_EQ(figures.erase("figures_sha256"), 1U);
    EXPECT_EQ(figures, clips[1]["metrics"]);

    // The same files again: nothing is scored of the result, whatever became of its metrics.json.
    std::filesystem::remove(files + "/metrics.json");
    const ProgramRun again = measure({result});
    EXPECT_EQ(onlyDocument(again.output)["clips"][0]["metrics"], clips[1]["metrics"]);
    EXPECT_EQ(json::parse(textOf(files + "/metrics.json")), kept);
    EXPECT_EQ(scored(), 2);
    // Other pictures under the same name are measured.
    writeSmallClip(result, 5, 80);
    std::filesystem::remove(files + "/metrics.json");
    EXPECT_EQ(measure({result}).exitCode, 0);
    EXPECT_EQ(scored(), 3);

    const ProgramRun broken = measure({m_folder.file("none.mp4"), result});
    EXPECT_EQ(broken.exitCode, 1);
    const json mixed = onlyDocument(broken.output)["clips"];
    EXPECT_EQ(mixed[0]["error"]["code"], "not_found");
    EXPECT_EQ(mixed[1]["metrics"]["frames"], 5) << "the others are measured all the same";
    EXPECT_EQ(runProgram({"metrics", result, reference, "--csv"}).exitCode, 2);
}

}  // namespace
}  // namespace reelgrid::cli
