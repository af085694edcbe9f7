#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "core/session/session.h"
#include "tests/cli/program.h"
#include "tests/models/wan/variant_model.h"

namespace reelgrid::cli {
namespace {

namespace fs = std::filesystem;
using models::wan::kVariants;
using models::wan::VariantModel;
using nlohmann::json;
using testing::EndsWith;
using testing::HasSubstr;

/// `compare` of a tiny model that begins with a picture.
class PictureCompareTest : public testing::Test {
  protected:
    VariantModel m_model{"i2v-experts"};
    TestFolder m_folder;
    fs::path m_picture = m_folder.path() / "first.png";

    void SetUp() override { fs::copy_file(kVariants / "first.png", m_picture); }

    ProgramRun compare(const std::vector<std::string>& more) {
        std::vector<std::string> arguments{"compare",
                                           "--types",
                                           "sdpa,fav2",
                                           "--model",
                                           m_model.folder().string(),
                                           "--prompt",
                                           "a car",
                                           "--width",
                                           "48",
                                           "--height",
                                           "48",
                                           "--num_frames",
                                           "5",
                                           "--num_inference_steps",
                                           "2",
                                           "--guidance_scale_2",
                                           "2",
                                           "--output-dir",
                                           m_folder.file("out"),
                                           "--reuse",
                                           "--json"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return runProgram(arguments);
    }
    json resultsOf(const ProgramRun& run) {
        EXPECT_EQ(run.exitCode, 0) << run.errors;
        const json document = onlyDocument(run.output);
        return document.is_object() ? document["results"] : json::array();
    }
};

TEST_F(PictureCompareTest, GoesThroughWorkerManifestAndSession) {
    const std::vector<std::string> picture{"--task", "i2v", "--img_file_path",
                                           fs::relative(m_picture).string()};
    json results = resultsOf(compare(picture));
    ASSERT_EQ(results.size(), 2U);
    for (const json& result : results) {
        EXPECT_FALSE(result["reused"]);
        EXPECT_THAT(result["clip"].get<std::string>(), HasSubstr("wan_result_i2v_"));
        EXPECT_THAT(result["clip"].get<std::string>(), EndsWith("_48x48.mp4")) << "the size asked for";
    }
    const auto session = session::loadSession(m_folder.path() / "out/session.json");
    ASSERT_TRUE(session) << session.error().message;
    EXPECT_EQ(session->session.request.imgFilePath, m_picture.string()) << "absolute";
    EXPECT_EQ(session->session.request.guidanceScale2, 2);

    results = resultsOf(compare(picture));
    for (const json& result : results) EXPECT_TRUE(result["reused"]);
    fs::copy_file(kVariants / "last.png", m_picture, fs::copy_options::overwrite_existing);
    const ProgramRun run = compare(picture);
    EXPECT_THAT(run.errors, HasSubstr("rendered again: the picture that it was made from has changed"));
    for (const json& result : resultsOf(run)) EXPECT_FALSE(result["reused"]);
}

TEST_F(PictureCompareTest, SaysWhatIsMissingBeforeAnythingRuns) {
    const ProgramRun without = compare({});
    EXPECT_EQ(without.exitCode, 2);
    EXPECT_THAT(without.errors, HasSubstr("--img-file-path is missing: task i2v of model"));
    const ProgramRun nowhere = compare({"--img-file-path", "/nowhere.png"});
    EXPECT_EQ(nowhere.exitCode, 1);
    EXPECT_THAT(nowhere.errors, HasSubstr("--img-file-path /nowhere.png: no such file"));
}

/// Nobody answers at port 9 of this machine.
TEST(PictureOfAModelOnTheHub, IsLookedForBeforeTheModelIsFetched) {
    const TestFolder folder;
    const ProgramRun run =
        runProgram({"render", "--model", "someone/model", "--task", "i2v", "--prompt", "a car",
                    "--img-file-path", folder.file("none.png"), "--output", folder.file("a.mp4")},
                   "", {{"HF_ENDPOINT", "http://127.0.0.1:9"}, {"HF_HOME", folder.file("hub")}});
    EXPECT_EQ(run.exitCode, 1);
    EXPECT_EQ(run.errors, "reelgrid-cli: --img-file-path " + folder.file("none.png") + ": no such file\n");
}

}  // namespace
}  // namespace reelgrid::cli
