#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

namespace reelgrid::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

/// A profiled render of the demo model, and what `profile` says of its trace.
class Profile : public testing::Test {
  protected:
    TestFolder m_folder;

    [[nodiscard]] fs::path render(const std::string& name, std::vector<std::string> options,
                                  const std::map<std::string, std::string>& environment = {}) const {
        std::vector<std::string> arguments{
            "render",   "--profile_output",          "p", "--profile_wait", "0", "--profile_warmup", "0",
            "--output", m_folder.file(name + ".mp4")};
        arguments.insert(arguments.end(), options.begin(), options.end());
        const ProgramRun run = runProgram(arguments, "", environment);
        EXPECT_EQ(run.exitCode, 0) << run.errors;
        EXPECT_THAT(run.errors, HasSubstr("profiled: step 0"));
        return m_folder.path() / (name + ".files/traces/p/trace_rank0.json.gz");
    }
    [[nodiscard]] static json said(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "profile");
        arguments.emplace_back("--json");
        const ProgramRun run = runProgram(arguments);
        EXPECT_EQ(run.exitCode, 0) << run.errors;
        return onlyDocument(run.output);
    }
};

const std::vector<std::string> kShort{"--height", "96", "--width", "128", "--num_frames", "9"};

std::vector<std::string> shortRender(std::vector<std::string> options) {
    options.insert(options.end(), kShort.begin(), kShort.end());
    return options;
}

TEST_F(Profile, NamesTheConvolutionsOfADecodeThatIsMostOfTheRender) {
    // One step, then a decode with libtorch's convolutions.
    const fs::path trace =
        render("decode", shortRender({"--num_inference_steps", "1", "--profile_active", "2"}),
               {{"REELGRID_CPU", "scalar"}});
    const json document = said({trace});
    ASSERT_FALSE(document["bottlenecks"].empty());
    const json& worst = document["bottlenecks"][0];
    EXPECT_EQ(worst["what"], "convolutions");
    EXPECT_THAT(worst["evidence"].get<std::string>(), HasSubstr("of it in decode"));
    EXPECT_THAT(worst["advice"].get<std::string>(), HasSubstr("--vae-dtype fp32"));
    const ProgramRun text = runProgram({"profile", trace});
    EXPECT_EQ(text.exitCode, 0);
    EXPECT_THAT(text.output, HasSubstr("1. convolutions: "));
}

TEST_F(Profile, NamesASlowAttentionAndWhatAFasterOneBrings) {
    const std::vector<std::string> options{
        "--num_inference_steps", "1", "--attention_type", "fav2", "--height", "192", "--width", "320",
        "--num_frames",          "9"};
    const fs::path slow = render("slow", options, {{"REELGRID_CPU", "scalar"}});
    const json document = said({slow});
    const json& worst = document["bottlenecks"][0];
    EXPECT_EQ(worst["what"], "attention") << document["bottlenecks"];
    EXPECT_THAT(worst["evidence"].get<std::string>(), HasSubstr("self-attention fav2: "));
    EXPECT_THAT(worst["advice"].get<std::string>(), HasSubstr("bench attention --shape 1,"));
    EXPECT_EQ(document["steps"].size(), 1U);

    const fs::path fast = render("fast", options);
    const json changed = said({slow, fast});
    EXPECT_EQ(changed["groups"][0]["name"], "attention");
    EXPECT_LT(changed["groups"][0]["difference"], 0);
    EXPECT_EQ(changed["names"][0]["name"], "self-attention fav2");
}

TEST_F(Profile, SaysWhereInTheSourcesACallWasMade) {
    const fs::path trace = render("stack", shortRender({"--num_inference_steps", "1"}));
    const ProgramRun run =
        runProgram({"profile", trace, "--with-stack", "--sort", "self_cpu_time_total", "--top", "100000"});
    ASSERT_EQ(run.exitCode, 0) << run.errors;
    EXPECT_THAT(run.output, HasSubstr("source location"));
    EXPECT_THAT(run.output, testing::ContainsRegex("core/models/wan/transformer.cpp.[0-9]+.: runBlocks"));
    EXPECT_THAT(run.output, testing::ContainsRegex("core/denoising/sampling_loop.cpp.[0-9]+.: next"));
    const json document = said({trace, "--sort", "count"});
    for (std::size_t i = 1; i < document["names"].size(); ++i)
        EXPECT_GE(document["names"][i - 1]["calls"], document["names"][i]["calls"]);
    const ProgramRun wrong = runProgram({"profile", trace, "--sort", "name"});
    EXPECT_EQ(wrong.exitCode, 2);
    EXPECT_THAT(wrong.errors, HasSubstr("--sort name: one of "));
    EXPECT_EQ(runProgram({"profile", trace, trace, "--with-stack"}).exitCode, 2);
}

TEST_F(Profile, EveryClipOfAComparisonHasItsTrace) {
    const ProgramRun run =
        runProgram(shortRender({"compare", "--types", "sdpa,fav2", "--num_inference_steps", "2",
                                "--profile_wait", "1", "--profile_warmup", "0", "--profile_output",
                                m_folder.file("traces/"), "--output_dir", m_folder.file("out"), "--json"}));
    ASSERT_EQ(run.exitCode, 0) << run.errors;
    EXPECT_THAT(run.errors, HasSubstr("fav2: profiled: step 1 in " + m_folder.file("traces/")));
    std::vector<fs::path> traces;
    for (const auto& folder : fs::directory_iterator(m_folder.path() / "traces"))
        traces.push_back(folder.path() / "trace_rank0.json.gz");
    ASSERT_EQ(traces.size(), 2U);
    EXPECT_EQ(said({traces[0], traces[1]})["steps_before"], 1);
    for (const json& result : resultsIn(run.output))
        EXPECT_EQ(result["manifest"]["profile"]["first_step"], 1);
}

}  // namespace
}  // namespace reelgrid::cli
