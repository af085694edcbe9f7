#include <gmock/gmock.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "core/session/session.h"
#include "tests/cli/fake_ffmpeg.h"
#include "tests/cli/program.h"

namespace reelgrid::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

class Suite : public testing::Test {
  protected:
    void SetUp() override {
        std::ofstream(m_folder.path() / "small.json")
            << R"({"prompts": ["a red car", "a rocket"], "seeds": [1, 2], "types": ["fav2", "sdpa"], "height": 48,
                   "width": 64, "num_frames": 5, "num_inference_steps": 2})";
    }
    [[nodiscard]] ProgramRun run(std::vector<std::string> more = {},
                                 const std::map<std::string, std::string>& environment = {}) const {
        std::vector<std::string> words{"suite", m_folder.file("small.json"), "--output-dir",
                                       m_folder.file("out"), "--json"};
        words.insert(words.end(), more.begin(), more.end());
        return runProgram(words, "", environment);
    }
    TestFolder m_folder;
};

TEST_F(Suite, RendersMeasuresGoesOnAndGates) {
    const ProgramRun first = run({"--gate", "psnr>=20"});
    ASSERT_EQ(first.exitCode, 0) << first.errors;
    EXPECT_THAT(first.errors, HasSubstr("8 clips, 8 of them to be rendered"));
    const json document = onlyDocument(first.output);
    ASSERT_EQ(document["jobs"].size(), 8u);
    int withPsnr = 0;
    for (const json& job : document["jobs"]) {
        EXPECT_TRUE(fs::is_regular_file(m_folder.path() / "out" / job["clip"].get<std::string>()));
        EXPECT_GT(job["measures"]["denoise_seconds"], 0);
        EXPECT_EQ(job["measures"]["steady_denoise_seconds"], job["measures"]["denoise_seconds"])
            << "of two steps none can be told to be cold";
        withPsnr += job["measures"].contains("psnr");
        EXPECT_EQ(job["measures"].contains("psnr"), job["axes"]["attention_type"] == "fav2");
    }
    EXPECT_EQ(withPsnr, 4);
    EXPECT_EQ(document["values"][1]["value"], "fav2");
    EXPECT_EQ(document["values"][1]["measures"]["psnr"]["prompts"], 2);
    EXPECT_TRUE(fs::is_regular_file(m_folder.file("out/report.html")));
    const auto session = session::loadSession(m_folder.file("out/0001-a-red-car/session.json"));
    ASSERT_TRUE(session) << session.error().message;
    EXPECT_EQ(session->session.clips.size(), 2u);

    fs::remove(m_folder.path() / "out" / document["jobs"][3]["clip"].get<std::string>());
    const ProgramRun again = run({"--gate", "psnr>=100@100%", "--against", m_folder.file("out")});
    EXPECT_THAT(again.errors, HasSubstr("8 clips, 1 of them to be rendered"));
    EXPECT_EQ(again.exitCode, 1) << "the gate";
    const json second = onlyDocument(again.output);
    EXPECT_EQ(second["gate"]["passed"], false);
    ASSERT_EQ(second["against"].size(), 2u);
    for (const json& job : second["jobs"])
        for (const json& before : document["jobs"])
            if (before["axes"] == job["axes"] && before["measures"].contains("psnr")) {
                EXPECT_EQ(before["measures"]["psnr"], job["measures"]["psnr"]);
            }

    // What was measured of the same files isn't measured again.
    const std::map<std::string, std::string> scoring{{"REELGRID_FFMPEG", writeFakeFfmpeg(m_folder.path())}};
    const ProgramRun scored = run({"--metrics", "vmaf", "--gate", "vmaf>=90"}, scoring);
    EXPECT_EQ(scored.exitCode, 0) << scored.errors;
    EXPECT_EQ(timesScored(scoring.at("REELGRID_FFMPEG")), 4) << "fav2's clips against sdpa's";
    EXPECT_THAT(scored.errors, testing::Not(HasSubstr("measured before")));
    // As the studio's blind test leaves it.
    const json seen = {{"first", document["jobs"][0]["clip"]},
                       {"second", document["jobs"][1]["clip"]},
                       {"preferred", "first"}};
    json ofOther = seen;
    ofOther["first_sha256"] = std::string(64, '0');
    std::ofstream(m_folder.file("out/votes.json"))
        << json{{"version", 1}, {"votes", {seen, ofOther, ofOther}}};
    const fs::path sessionFile = m_folder.file("out/0001-a-red-car/session.json");
    json ownSession = json::parse(textOf(sessionFile));
    ownSession["clips"][0]["label"] = "my own";
    std::ofstream(sessionFile) << ownSession;
    const ProgramRun kept = run({"--metrics", "vmaf", "--gate", "vmaf>=90"}, scoring);
    EXPECT_EQ(json::parse(textOf(sessionFile))["clips"][0]["label"], "my own");
    EXPECT_THAT(kept.errors, HasSubstr("votes.json: 2 votes are of other clips that were at these places"));
    EXPECT_EQ(timesScored(scoring.at("REELGRID_FFMPEG")), 4);
    EXPECT_THAT(kept.errors, HasSubstr("4 clips had been measured before"));
    EXPECT_EQ(onlyDocument(kept.output), onlyDocument(scored.output));
}

TEST_F(Suite, RendersByItsRecipe) {
    std::ofstream(m_folder.file("few.json")) << R"({"name": "few", "num_inference_steps": 1})";
    std::ofstream(m_folder.file("small.json"))
        << R"({"prompts": ["a red car"], "seeds": [1], "types": ["sdpa"], "height": 48, "width": 64,
               "num_frames": 5, "recipe": "few.json"})";
    const ProgramRun done = run();
    ASSERT_EQ(done.exitCode, 0) << done.errors;
    const fs::path clip = m_folder.path() / "out" / onlyDocument(done.output)["jobs"][0]["clip"];
    const json request = json::parse(
        textOf(clip.parent_path() / (clip.stem().string() + ".files") / "manifest.json"))["request"];
    EXPECT_EQ(request["num_inference_steps"], 1);
    EXPECT_EQ(request["recipe"], "few");
    EXPECT_EQ(run().exitCode, 0);

    std::ofstream(m_folder.file("few.json")) << R"({"name": "few", "num_inference_steps": 0})";
    const ProgramRun none = run();
    EXPECT_NE(none.exitCode, 0);
    EXPECT_THAT(none.errors, HasSubstr("num_inference_steps 0"));
}

TEST_F(Suite, VotesThatDontSayWhatWasSeenAreOfTheClipsBeforeTheyAreRenderedAgain) {
    const auto runWith = [&](const std::string& steps) {
        const std::string file = m_folder.file("two.json");
        std::ofstream(file) << R"({"prompts": ["a red car"], "seeds": [1], "types": ["sdpa", "fav2"],
                                  "height": 48, "width": 64, "num_frames": 5, "num_inference_steps": )" +
                                   steps + "}";
        return runProgram({"suite", file, "--output-dir", m_folder.file("out"), "--json"});
    };
    const ProgramRun first = runWith("1");
    ASSERT_EQ(first.exitCode, 0) << first.errors;
    const json jobs = onlyDocument(first.output)["jobs"];
    const json vote = {{"first", jobs[0]["clip"]}, {"second", jobs[1]["clip"]}, {"preferred", "first"}};
    std::ofstream(m_folder.file("out/votes.json")) << json{{"version", 1}, {"votes", {vote}}};
    EXPECT_THAT(runWith("1").errors, testing::Not(HasSubstr("of other clips")));
    EXPECT_THAT(runWith("2").errors, HasSubstr("votes.json: 1 vote is of other clips"));
}

TEST_F(Suite, IsNotComparedWithOneOfOtherSteps) {
    const auto suiteOf = [&](const std::string& steps, const char* output,
                             std::vector<std::string> more = {}) {
        const std::string file = m_folder.file("one.json");
        std::ofstream(file) << R"({"prompts": ["a red car"], "seeds": [1], "types": ["sdpa"], "height": 48,
                                  "width": 64, "num_frames": 5, "num_inference_steps": )" +
                                   steps + "}";
        std::vector<std::string> words{"suite", file, "--output-dir", m_folder.file(output), "--json"};
        words.insert(words.end(), more.begin(), more.end());
        return runProgram(words);
    };
    const ProgramRun wrong = suiteOf("2", "two", {"--against", m_folder.file("none")});
    EXPECT_EQ(wrong.exitCode, 1);
    EXPECT_THAT(wrong.errors, HasSubstr("--against: "));
    EXPECT_FALSE(fs::exists(m_folder.file("two"))) << "said before anything is rendered";

    const ProgramRun two = suiteOf("2", "two");
    ASSERT_EQ(two.exitCode, 0) << two.errors;
    const json manifest = onlyDocument(two.output)["manifest"];
    EXPECT_EQ(manifest["settings"]["num_inference_steps"], 2);
    EXPECT_TRUE(manifest["model"]["hashes"].contains("transformer"));
    // What was rendered is known without the clips.
    fs::remove_all(m_folder.file("two/0001-a-red-car"));
    const ProgramRun three = suiteOf("3", "three", {"--against", m_folder.file("two")});
    EXPECT_EQ(three.exitCode, 2) << three.errors;
    EXPECT_THAT(three.errors,
                HasSubstr("not compared: 'a red car / 1 / sdpa': num_inference_steps 3 here, 2 there"));
    EXPECT_THAT(three.errors, HasSubstr("no clip could be compared"));
    const json document = onlyDocument(three.output);
    EXPECT_FALSE(document.contains("against"));
    EXPECT_EQ(document["against_notes"]["not_compared"].size(), 1u);
    EXPECT_TRUE(fs::exists(m_folder.file("three/report.html")));
    const ProgramRun again = suiteOf("2", "again", {"--against", m_folder.file("two")});
    EXPECT_EQ(again.exitCode, 0) << again.errors;
    EXPECT_EQ(onlyDocument(again.output)["against"].size(), 1u);
    EXPECT_THAT(again.errors, HasSubstr("both here and there"));
}

TEST_F(Suite, SaysWhichClipsOfAnEarlierRecipeStay) {
    ASSERT_EQ(run().exitCode, 0);
    const ProgramRun same = run();
    EXPECT_THAT(same.errors, HasSubstr("0 of them to be rendered"));
    EXPECT_THAT(same.errors, Not(HasSubstr("of another suite")));
    std::ofstream(m_folder.path() / "small.json")
        << R"({"prompts": ["a red car"], "seeds": [1, 2], "types": ["fav2", "sdpa"], "height": 48,
               "width": 64, "num_frames": 5, "num_inference_steps": 2})";
    const ProgramRun fewer = run();
    EXPECT_EQ(fewer.exitCode, 0) << fewer.errors;
    EXPECT_THAT(fewer.errors, HasSubstr("out holds clips of another suite, which stay: 000"));
    EXPECT_THAT(fewer.errors, HasSubstr("a-rocket/results/"));
}

TEST_F(Suite, RefusesPicturesThatAreTooSmallForAMetricBeforeAnythingIsRendered) {
    std::ofstream(m_folder.file("small.json"))
        << R"({"prompt": "a red car", "types": ["sdpa", "fav2"], "height": 16, "width": 64, "num_frames": 5})";
    for (const char* weights : {"alexnet.pth", "alex.pth"})
        std::ofstream(m_folder.file(weights)) << "nothing";
    const ProgramRun ran = run({"--metrics", "lpips", "--metric-weights", m_folder.path().string()});
    EXPECT_EQ(ran.exitCode, 2) << ran.errors;
    EXPECT_THAT(ran.errors,
                HasSubstr("lpips: the pictures are 64x16, sides of at least 31 pixels are needed"));
    EXPECT_FALSE(fs::exists(m_folder.file("out")));
}

TEST_F(Suite, RefusesAGateThatNoClipCanBeMeasuredForBeforeAnythingIsRendered) {
    const ProgramRun ran = run({"--gate", "lpips<=0.1@90%"});
    EXPECT_EQ(ran.exitCode, 2) << ran.errors;
    EXPECT_THAT(ran.errors, HasSubstr("--gate lpips<=0.1@90%: LPIPS is measured only where it is asked for"));
    EXPECT_FALSE(fs::exists(m_folder.file("out")));
}

TEST_F(Suite, RefusesWhatItCannotRead) {
    EXPECT_EQ(run({"--gate", "good"}).exitCode, 2);
    const auto refusal = [&](const char* contents) {
        std::ofstream(m_folder.path() / "small.json") << contents;
        const ProgramRun ran = run();
        EXPECT_NE(ran.exitCode, 0);
        EXPECT_FALSE(fs::exists(m_folder.file("out")));
        return ran.errors;
    };
    EXPECT_THAT(refusal("{"), HasSubstr("small.json"));
    EXPECT_THAT(refusal(R"({"colours": ["red"]})"), HasSubstr("colours: no field of a render"));
    EXPECT_THAT(refusal(R"({"types": ["sdpa", "fav9"], "prompt": "a"})"), HasSubstr("fav9"));
    EXPECT_THAT(refusal(R"({"prompts": "missing.txt"})"), HasSubstr("missing.txt"));
    EXPECT_THAT(refusal(R"({"model": "", "prompt": "a"})"),
                HasSubstr("small.json: model \"\": some text was needed"));
    EXPECT_THAT(refusal(R"({"model": "/nowhere", "prompt": "a"})"),
                HasSubstr("small.json: model /nowhere: no such file or folder"));
    EXPECT_THAT(refusal(R"({"save_inputs": true, "capture_layers": "", "prompt": "a"})"),
                HasSubstr("small.json: capture_layers \"\": some text was needed"));
    EXPECT_THAT(refusal(R"({"scheduler": "ddim", "prompt": "a"})"),
                HasSubstr("small.json: scheduler ddim: "));
    const auto tomlRefusal = [&](const char* contents) {
        const std::string file = m_folder.file("small.toml");
        std::ofstream(file) << contents;
        const ProgramRun ran = runProgram({"suite", file, "--output-dir", m_folder.file("out")});
        EXPECT_NE(ran.exitCode, 0);
        EXPECT_FALSE(fs::exists(m_folder.file("out")));
        return ran.errors;
    };
    // What a file is that was never written.
    EXPECT_THAT(refusal("{}"), HasSubstr("small.json: it says nothing, at least one field"));
    EXPECT_THAT(tomlRefusal(""), HasSubstr("small.toml: it says nothing, at least one field"));
    EXPECT_THAT(tomlRefusal("prompt = \"a\"\ncolours = [\"red\"]\n"),
                HasSubstr("small.toml:2: colours: no field of a render"));
    EXPECT_THAT(tomlRefusal("prompt = \"a\"\ntypes = [\"sdpa\", \"fav9\"]\n"), HasSubstr("small.toml:2: "));
    EXPECT_THAT(tomlRefusal("prompt = \n"), HasSubstr("small.toml:1: not TOML"));
}

}  // namespace
}  // namespace reelgrid::cli
