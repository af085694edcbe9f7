#include <gmock/gmock.h>

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/cli/program.h"

namespace reelgrid::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

/// The tiny model's VAE, in tiles of which a picture has several.
std::vector<std::string> vae(std::vector<std::string> options) {
    std::vector<std::string> words{
        "bench",    "vae",   "--model",  REELGRID_SOURCE_DIR "/tests/fixtures/wan/tiny-pipeline",
        "--size",   "96*64", "--frames", "5",
        "--device", "cpu"};
    words.insert(words.end(), options.begin(), options.end());
    return words;
}

TEST(BenchVae, MeasuresFourConfigurationsOfOneClip) {
    const ProgramRun run = runProgram(vae({"--tile_px", "32", "--num-repetitions", "2", "--json"}));
    ASSERT_EQ(run.exitCode, 0) << run.errors;
    const json document = onlyDocument(run.output);
    ASSERT_EQ(document["rows"].size(), 4U);
    const std::vector<std::string> names{"fp32", "bf16", "tiled fp32", "tiled bf16"};
    for (std::size_t i = 0; i < names.size(); ++i) {
        const json& row = document["rows"][i];
        EXPECT_EQ(row["configuration"], names[i]);
        EXPECT_EQ(row["tiled"], i >= 2);
        for (const char* pass : {"encode", "decode"}) {
            EXPECT_EQ(row[pass]["seconds"].size(), 2U);
            EXPECT_GT(row[pass]["s_p50"], 0);
            EXPECT_LE(row[pass]["s_min"], row[pass]["s_p50"]);
            EXPECT_GE(row[pass]["s_max"], row[pass]["s_p50"]);
        }
        EXPECT_EQ(row.contains("decode_psnr_db"), i > 0) << "the first is what the others are held against";
        EXPECT_TRUE(row["clip_psnr_db"].is_number());
    }
    EXPECT_GT(document["rows"][1]["decode_psnr_db"], 20);
    EXPECT_LT(document["rows"][2]["decode_psnr_db"], 100) << "cut, so not equal";
    EXPECT_EQ(document["shapes"]["video"], (json{1, 3, 5, 64, 96}));
    EXPECT_EQ(document["tile"], (json{{"px", 32}, {"stride_px", 24}}));
    EXPECT_EQ(document["system"]["device"]["type"], "cpu");
    EXPECT_FALSE(document["system"]["kernel"].get<std::string>().empty());
    EXPECT_EQ(document["absent"].size(), 2U);
}

TEST(BenchVae, SaysWhereTilesWouldNotCut) {
    const ProgramRun run = runProgram(vae({"--tile-px", "128", "--warmup", "0"}));
    ASSERT_EQ(run.exitCode, 0) << run.errors;
    EXPECT_THAT(run.errors, HasSubstr("96*64 fits into one tile of 128 pixels"));
    for (const char* word :
         {"system   Linux", "libtorch 2", "[1, 3, 5, 64, 96]", "tiled bf16", "not run: MIOPEN"})
        EXPECT_THAT(run.output, HasSubstr(word));
}

TEST(BenchVae, WritesTheDocumentBesideTheTable) {
    const TestFolder folder;
    const ProgramRun run = runProgram(vae({"--warmup", "0", "-o", folder.file("vae.json")}));
    ASSERT_EQ(run.exitCode, 0) << run.errors;
    std::ifstream file(folder.file("vae.json"));
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    EXPECT_EQ(onlyDocument(text)["rows"].size(), 4U) << text;
}

TEST(BenchVae, MeasuresWithALibrarysVariableInAProcessOfItsOwn) {
    const ProgramRun run = runProgram(vae({"--configurations", "bf16", "--environment", "OMP_NUM_THREADS=1",
                                           "--environment", "REELGRID_CPU=mmx", "--json"}));
    ASSERT_EQ(run.exitCode, 0) << run.errors;
    const json rows = onlyDocument(run.output)["rows"];
    ASSERT_EQ(rows.size(), 4U);
    EXPECT_EQ(rows[2]["configuration"], "OMP_NUM_THREADS=1");
    EXPECT_EQ(rows[2]["dtype"], "fp32");
    EXPECT_EQ(rows[2]["decode"]["seconds"].size(), 1U);
    EXPECT_NEAR(rows[2]["clip_psnr_db"].get<double>(), rows[0]["clip_psnr_db"].get<double>(), 0.01);
    EXPECT_THAT(rows[3].value("error", ""), HasSubstr("mmx")) << rows[3];
    const ProgramRun wrong = runProgram(vae({"--environment", "MIOPEN_FIND_MODE"}));
    EXPECT_EQ(wrong.exitCode, 2);
    EXPECT_THAT(wrong.errors, HasSubstr("--environment MIOPEN_FIND_MODE: NAME=VALUE was needed"));
}

TEST(BenchVae, EndsOnASignal) {
    RunningProgram program(vae({"--num-repetitions", "1000"}));
    std::this_thread::sleep_for(std::chrono::seconds(2));  // it is measuring
    program.signal(15);
    const ProgramRun run = program.finish(60);
    EXPECT_EQ(run.exitCode, 1);
    EXPECT_EQ(run.output, "");
}

}  // namespace
}  // namespace reelgrid::cli
