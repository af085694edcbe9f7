#include "core/catalog/own_defaults.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>

#include "core/base/pending_file.h"

namespace reelgrid::catalog {
namespace {

namespace fs = std::filesystem;

families::ModelInfo textToVideo() {
    families::ModelInfo model;
    model.tasks = {{.name = "t2v"}};
    model.sizes.sizeMultiple = 16;
    model.frames = {.stride = 4, .first = 1, .most = 4093};
    model.extraFields = {"vae_tiling", "vae_tile_px"};
    model.defaults.task = "t2v";
    model.defaults.width = 256;
    model.defaults.height = 144;
    model.defaults.numFrames = 33;
    return model;
}

class OwnDefaults : public testing::Test {
  protected:
    fs::path m_folder = fs::path(testing::TempDir()) / ("own_defaults_" + std::to_string(getpid()));
    fs::path m_file = m_folder / kOwnDefaultsFile;
    families::ModelInfo m_model = textToVideo();
    void SetUp() override { fs::create_directories(m_folder); }
    void TearDown() override { fs::remove_all(m_folder); }

    /// What is said of a file that holds `json`, behind its name; empty: it is read.
    [[nodiscard]] std::string refused(const std::string& json) {
        EXPECT_TRUE(writeFile(m_file, json));
        families::ModelInfo model = m_model;
        const auto read = readOwnDefaults(m_file, model);
        if (read) return {};
        EXPECT_EQ(read.error().code, ErrorCode::InvalidData);
        const std::string& message = read.error().message;
        EXPECT_THAT(message, testing::StartsWith(m_file.string() + ": "));
        return message.substr(std::min(message.size(), m_file.string().size() + 2));
    }
};

TEST_F(OwnDefaults, StandInThePlaceOfTheFamilys) {
    ASSERT_TRUE(writeFile(m_file, R"({"title": "Mine", "width": 320, "dtype": "fp16", "task": null})"));
    ASSERT_TRUE(readOwnDefaults(m_file, m_model));
    EXPECT_EQ(m_model.title, "Mine");
    EXPECT_EQ(m_model.defaults.width, 320);
    EXPECT_EQ(m_model.defaults.height, 144);
    EXPECT_EQ(m_model.defaults.dtype, "fp16");
    EXPECT_EQ(m_model.defaults.task, "t2v");
    EXPECT_TRUE(readOwnDefaults(m_folder / "none.json", m_model));
}

TEST_F(OwnDefaults, ThatTheModelCannotHaveAreRefusedByFileAndKey) {
    EXPECT_EQ(refused(R"({"height": 100})"), "height 100: a multiple of 16 from 16 to 16384 was needed");
    EXPECT_EQ(refused(R"({"width": 250})"), "width 250: a multiple of 16 from 16 to 16384 was needed");
    EXPECT_EQ(refused(R"({"num_frames": 32})"), "num_frames 32: 4·k + 1 from 1 to 4093 was needed");
    EXPECT_EQ(refused(R"({"task": "i2v"})"), "task \"i2v\": for this model t2v was needed");
    EXPECT_EQ(refused(R"({"dtype": "int4"})"), "dtype \"int4\": fp32, bf16 or fp16 was needed");
    EXPECT_EQ(refused(R"({"vae_dtype": "int4"})"), "vae_dtype \"int4\": fp32, bf16 or fp16 was needed");
    EXPECT_EQ(refused(R"({"generator": "dice"})"), "generator \"dice\": cpu or cuda was needed");
    EXPECT_EQ(refused(R"({"device": "tpu"})"), "device \"tpu\": cpu, cuda or cuda:N was needed");
    EXPECT_EQ(refused(R"({"vae_tiling": "some"})"), "vae_tiling \"some\": auto, on or off was needed");
    EXPECT_EQ(refused(R"({"vae_tile_px": 100})"), "vae_tile_px 100: a multiple of 16 was needed");
    EXPECT_EQ(refused(R"({"height": "tall"})").substr(0, 14), "height \"tall\":");
    EXPECT_EQ(refused(R"({"height": 160, "num_frames": 5, "dtype": null, "vae_tiling": "on"})"), "");
}

TEST_F(OwnDefaults, ThatAreEmptyTextsAreRefusedButForPrompts) {
    EXPECT_EQ(refused(R"({"task": ""})"), "task \"\": for this model t2v was needed");
    EXPECT_EQ(refused(R"({"device": ""})"), "device \"\": cpu, cuda or cuda:N was needed");
    EXPECT_EQ(refused(R"({"dtype": ""})"), "dtype \"\": fp32, bf16 or fp16 was needed");
    EXPECT_EQ(refused(R"({"vae_dtype": ""})"), "vae_dtype \"\": fp32, bf16 or fp16 was needed");
    EXPECT_EQ(refused(R"({"generator": ""})"), "generator \"\": cpu or cuda was needed");
    EXPECT_EQ(refused(R"({"vae_tiling": ""})"), "vae_tiling \"\": auto, on or off was needed");
    EXPECT_EQ(refused(R"({"negative_prompt": "", "width": 320})"), "");
}

TEST_F(OwnDefaults, OfAModelOfOneSizeHaveNoOther) {
    m_model.isSizeFixed = true;
    EXPECT_EQ(refused(R"({"width": 256, "height": 144})"), "");
    EXPECT_EQ(refused(R"({"width": 272})"), "width 272: 256, this model's only one, was needed");
    EXPECT_EQ(refused(R"({"height": 160})"), "height 160: 144, this model's only one, was needed");
}

}  // namespace
}  // namespace reelgrid::catalog
