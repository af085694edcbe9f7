#include <gmock/gmock.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "core/base/pending_file.h"
#include "core/weights/safetensors_folder.h"
#include "core/weights/safetensors_writer.h"
#include "core/weights/weight_file.h"

namespace reelgrid::weights {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class SafetensorsTest : public testing::Test {
  protected:
    fs::path m_folder = fs::path(testing::TempDir()) / ("safetensors_" + std::to_string(getpid()));
    void SetUp() override { fs::create_directories(m_folder); }
    void TearDown() override { fs::remove_all(m_folder); }

    void writeRaw(const std::string& header, std::size_t dataBytes, std::uint64_t statedLength = 0) {
        const std::uint64_t length = statedLength != 0 ? statedLength : header.size();
        std::string bytes(sizeof length, '\0');
        std::memcpy(bytes.data(), &length, sizeof length);
        ASSERT_TRUE(writeFile(m_folder / "model.safetensors", bytes + header + std::string(dataBytes, '\1')));
    }

    std::string messageOfLoading() {
        try {
            SafetensorsFolder folder(m_folder);
            return "loaded";
        } catch (const Failure& failure) {
            return failure.error().message;
        }
    }
};

TEST_F(SafetensorsTest, RoundTripsEveryDtype) {
    std::map<std::string, at::Tensor> written;
    for (const at::ScalarType dtype :
         {at::kDouble, at::kFloat, at::kHalf, at::kBFloat16, at::kFloat8_e4m3fn, at::kFloat8_e5m2, at::kLong,
          at::kInt, at::kShort, at::kChar, at::kByte, at::kBool})
        written[at::toString(dtype)] = at::arange(6, at::kFloat).reshape({2, 3}).to(dtype);
    ASSERT_TRUE(writeSafetensors(m_folder / "model.safetensors", written, {{"made", "here"}}));
    SafetensorsFolder folder(m_folder);
    for (const auto& [name, tensor] : written) {
        const at::Tensor read = folder.require(name, {2, 3});
        EXPECT_EQ(read.scalar_type(), tensor.scalar_type());
        EXPECT_TRUE(at::equal(read.to(at::kDouble), tensor.to(at::kDouble))) << name;
    }
}

TEST_F(SafetensorsTest, ATensorOutlivesItsFolder) {
    ASSERT_TRUE(writeSafetensors(m_folder / "model.safetensors", {{"w", at::full({1000}, 3.0)}}));
    at::Tensor kept = SafetensorsFolder(m_folder).require("w", {1000});
    EXPECT_EQ(kept.sum().item<double>(), 3000.0);
}

TEST_F(SafetensorsTest, ReadsShardsThroughTheIndex) {
    ASSERT_TRUE(writeSafetensors(m_folder / "a.safetensors", {{"x", at::ones({2})}}));
    ASSERT_TRUE(writeSafetensors(m_folder / "b.safetensors", {{"y", at::ones({3})}}));
    ASSERT_TRUE(writeFile(m_folder / "diffusion_pytorch_model.safetensors.index.json",
                          R"({"weight_map": {"x": "a.safetensors", "y": "b.safetensors"}})"));
    SafetensorsFolder folder(m_folder);
    EXPECT_THAT(folder.names(), testing::ElementsAre("x", "y"));
    EXPECT_EQ(folder.files().size(), 2u);
}

TEST_F(SafetensorsTest, OfShardsAndAWholeFileThereIsOneThatCounts) {
    ASSERT_TRUE(writeSafetensors(m_folder / "a.safetensors", {{"x", at::ones({2})}}));
    for (const char* stem : {"model.safetensors", "diffusion_pytorch_model.safetensors"}) {
        ASSERT_TRUE(writeSafetensors(m_folder / stem, {{"x", at::zeros({2})}}));
        ASSERT_TRUE(writeFile(m_folder / (std::string(stem) + ".index.json"),
                              R"({"weight_map": {"x": "a.safetensors"}})"));
        // As transformers reads the one, and diffusers the other.
        const bool isWhole = SafetensorsFolder(m_folder).require("x", {2}).sum().item<double>() == 0;
        EXPECT_EQ(isWhole, std::string_view(stem) == "model.safetensors");
    }
}

TEST_F(SafetensorsTest, AnIndexMayNotLeaveItsFolder) {
    ASSERT_TRUE(
        writeFile(m_folder / "model.safetensors.index.json", R"({"weight_map": {"x": "../../secret"}})"));
    EXPECT_THAT(messageOfLoading(), HasSubstr("../../secret"));
}

TEST_F(SafetensorsTest, NamesAMissingTensorAndAWrongShape) {
    ASSERT_TRUE(writeSafetensors(m_folder / "model.safetensors", {{"w", at::ones({2, 3})}}));
    SafetensorsFolder folder(m_folder);
    try {
        (void)folder.require("w", {3, 2});
        FAIL() << "a wrong shape was accepted";
    } catch (const Failure& failure) {
        EXPECT_THAT(failure.error().message, HasSubstr("tensor w has shape [2, 3], the config needs [3, 2]"));
    }
    EXPECT_THROW((void)folder.require("v", {1}), Failure);
}

TEST_F(SafetensorsTest, SaysThatThereAreNoWeights) {
    EXPECT_THAT(messageOfLoading(), HasSubstr(m_folder.string()));
}

TEST_F(SafetensorsTest, RejectsTruncatedHeader) {
    writeRaw("{", 0, 500);
    EXPECT_THAT(messageOfLoading(), HasSubstr("truncated"));
}

TEST_F(SafetensorsTest, RejectsAHugeHeaderBeforeReadingIt) {
    writeRaw("{}", 0, std::uint64_t{1} << 60);
    EXPECT_THAT(messageOfLoading(), HasSubstr("header"));
}

TEST_F(SafetensorsTest, RejectsTruncatedData) {
    writeRaw(R"({"w":{"dtype":"F32","shape":[4],"data_offsets":[0,16]}})", 8);
    EXPECT_THAT(messageOfLoading(), HasSubstr("tensor \"w\""));
}

TEST_F(SafetensorsTest, RejectsAShapeThatOverflows) {
    writeRaw(R"({"w":{"dtype":"F32","shape":[4294967296,4294967296,4],"data_offsets":[0,0]}})", 0);
    EXPECT_THAT(messageOfLoading(), HasSubstr("impossible shape"));
}

TEST_F(SafetensorsTest, RejectsAShapeThatDisagreesWithItsBytes) {
    writeRaw(R"({"w":{"dtype":"F32","shape":[5],"data_offsets":[0,16]}})", 16);
    EXPECT_THAT(messageOfLoading(), HasSubstr("20 were needed"));
}

TEST_F(SafetensorsTest, RejectsOverlappingTensors) {
    writeRaw(
        R"({"a":{"dtype":"U8","shape":[8],"data_offsets":[0,8]},"b":{"dtype":"U8","shape":[8],"data_offsets":[4,12]}})",
        12);
    EXPECT_THAT(messageOfLoading(), HasSubstr("overlap"));
}

TEST_F(SafetensorsTest, RejectsUnknownDtypesAndNegativeExtents) {
    writeRaw(R"({"w":{"dtype":"F4","shape":[8],"data_offsets":[0,4]}})", 4);
    EXPECT_THAT(messageOfLoading(), HasSubstr("F4"));
    writeRaw(R"({"w":{"dtype":"U8","shape":[-8],"data_offsets":[0,4]}})", 4);
    EXPECT_THAT(messageOfLoading(), HasSubstr("negative"));
}

TEST_F(SafetensorsTest, AnIndexMustHoldTrue) {
    ASSERT_TRUE(writeSafetensors(m_folder / "a.safetensors", {{"x", at::ones({2})}}));
    const std::pair<const char*, const char*> faults[] = {
        {R"({"weight_map": {"y": "a.safetensors"}})", "should be in"},
        {R"({"weight_map": {"x": "gone.safetensors"}})", "gone.safetensors"},
        {R"({"weight_map": {"x": 7}})", "a .safetensors file inside the folder was needed"},
        {R"({"weight_map": {"x": "a.bin"}})", "a.bin"},
        {R"({"weight_map":)", "not JSON at byte"},
        {R"([])", "a JSON object was needed"},
    };
    for (const auto& [index, needed] : faults) {
        ASSERT_TRUE(writeFile(m_folder / "model.safetensors.index.json", index));
        EXPECT_THAT(messageOfLoading(), HasSubstr(needed)) << index;
    }
    const std::string deep(100, '[');
    ASSERT_TRUE(writeFile(m_folder / "model.safetensors.index.json", "{\"a\":" + deep));
    EXPECT_THAT(messageOfLoading(), HasSubstr("nested 101 deep"));
}

TEST_F(SafetensorsTest, SaysWhatAFolderHasInstead) {
    ASSERT_TRUE(writeSafetensors(m_folder / "model.non_ema.safetensors", {{"x", at::ones({2})}}));
    EXPECT_THAT(messageOfLoading(), HasSubstr("has \"model.non_ema.safetensors\", but"));
}

/// As a hub's cache has it once a blob was deleted. What stands behind it isn't taken for it.
TEST_F(SafetensorsTest, NamesALinkWhoseTargetIsGone) {
    ASSERT_TRUE(writeSafetensors(m_folder / "model.fp16.safetensors", {{"x", at::ones({2})}}));
    for (const char* name :
         {"model.safetensors", "diffusion_pytorch_model.safetensors", "model.safetensors.index.json"}) {
        fs::create_symlink("../../blobs/abc", m_folder / name);
        EXPECT_EQ(messageOfLoading(),
                  (m_folder / name).string() + ": is a link to ../../blobs/abc, which isn't there");
        fs::remove(m_folder / name);
    }
    fs::create_symlink("model.safetensors", m_folder / "model.safetensors");
    EXPECT_THAT(messageOfLoading(), HasSubstr("is a link to model.safetensors, which can't be followed"));
    fs::remove(m_folder / "model.safetensors");
    ASSERT_TRUE(
        writeFile(m_folder / "model.safetensors.index.json", R"({"weight_map": {"x": "a.safetensors"}})"));
    fs::create_symlink("gone", m_folder / "a.safetensors");
    EXPECT_THAT(messageOfLoading(), HasSubstr("a.safetensors: is a link to gone, which isn't there"));
}

TEST_F(SafetensorsTest, NamesALinkInThePlaceOfAFolderOrOfTorchsFile) {
    const auto messageOf = [](const fs::path& path) {
        try {
            return openWeights(path).names.empty() ? "empty" : std::string("opened");
        } catch (const Failure& failure) {
            return failure.error().message;
        }
    };
    fs::create_symlink("gone", m_folder / "pytorch_model.bin");
    EXPECT_THAT(messageOf(m_folder), HasSubstr("pytorch_model.bin: is a link to gone, which isn't there"));
    fs::create_symlink("gone", m_folder / "transformer");
    EXPECT_THAT(messageOf(m_folder / "transformer"), HasSubstr("transformer: is a link to gone, which"));
}

/// As diffusers names them (variant="fp16"); beside the whole ones they are passed over.
TEST_F(SafetensorsTest, ReadsWeightsInFp16WhereThereAreNoOthers) {
    ASSERT_TRUE(writeSafetensors(m_folder / "model.fp16-00001-of-00001.safetensors", {{"x", at::ones({2})}}));
    ASSERT_TRUE(writeFile(m_folder / "model.safetensors.index.fp16.json",
                          R"({"weight_map": {"x": "model.fp16-00001-of-00001.safetensors"}})"));
    EXPECT_EQ(SafetensorsFolder(m_folder).require("x", {2}).sum().item<double>(), 2);
    ASSERT_TRUE(writeSafetensors(m_folder / "model.fp16.safetensors", {{"x", at::ones({3})}}));
    EXPECT_EQ(SafetensorsFolder(m_folder).require("x", {3}).sum().item<double>(), 3);
    ASSERT_TRUE(writeSafetensors(m_folder / "model.safetensors", {{"x", at::ones({4})}}));
    EXPECT_EQ(SafetensorsFolder(m_folder).require("x", {4}).sum().item<double>(), 4);
}

TEST_F(SafetensorsTest, AFolderMayHaveTorchsFileAlone) {
    const std::filesystem::path torch = REELGRID_SOURCE_DIR "/tests/fixtures/pt/state_dict.pth";
    std::filesystem::copy_file(torch, m_folder / "pytorch_model.bin");
    const auto names = openWeights(torch).names;
    ASSERT_FALSE(names.empty());
    EXPECT_EQ(openWeights(m_folder).names, names);
    EXPECT_EQ(openWeights(m_folder / "pytorch_model.bin").names, names);
    ASSERT_TRUE(writeSafetensors(m_folder / "model.safetensors", {{"x", at::ones({4})}}));
    EXPECT_THAT(openWeights(m_folder).names, testing::ElementsAre("x"));
}

TEST_F(SafetensorsTest, GivesPagesBackWithTheLastReference) {
    ASSERT_TRUE(writeSafetensors(m_folder / "model.safetensors", {{"w", at::ones({2 << 20})}}));
    SafetensorsFolder folder(m_folder);
    const auto residentKb = [&] {
        std::ifstream maps("/proc/self/smaps");
        bool ours = false;
        for (std::string line; std::getline(maps, line);) {
            if (line.find(m_folder.string()) != line.npos) ours = true;
            if (ours && line.starts_with("Rss:")) return std::stol(line.substr(4));
        }
        return -1L;
    };
    at::Tensor tensor = folder.require("w", {2 << 20});
    EXPECT_EQ(tensor.sum().item<double>(), 2 << 20);
    EXPECT_GT(residentKb(), 8000);
    tensor.reset();
    EXPECT_THAT(residentKb(), testing::AllOf(testing::Ge(0), testing::Le(8)));
    EXPECT_EQ(folder.require("w", {2 << 20})[77].item<double>(), 1.0);
}

TEST_F(SafetensorsTest, CopiesATensorThatTheFileMisaligns) {
    // 54 bytes of header: the data starts at byte 62, where no F64 may lie.
    writeRaw(R"({"w":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}})", 8);
    const at::Tensor tensor = SafetensorsFolder(m_folder).require("w", {1});
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(tensor.const_data_ptr()) % 8, 0U);
    EXPECT_EQ(static_cast<const char*>(tensor.const_data_ptr())[7], '\1');
}

TEST_F(SafetensorsTest, WritesWideElementsFirst) {
    ASSERT_TRUE(writeSafetensors(m_folder / "model.safetensors",
                                 {{"a", at::ones({3}, at::kByte)}, {"b", at::ones({2}, at::kDouble)}}));
    SafetensorsFolder folder(m_folder);
    const auto place = [](const at::Tensor& t) {
        return reinterpret_cast<std::uintptr_t>(t.const_data_ptr());
    };
    EXPECT_LT(place(folder.require("b", {2})), place(folder.require("a", {3})));
}

TEST_F(SafetensorsTest, WillNotWriteADtypeTheFormatLacks) {
    const auto written =
        writeSafetensors(m_folder / "c.safetensors", {{"w", at::ones({2}, at::kComplexFloat)}});
    ASSERT_FALSE(written.ok());
    EXPECT_EQ(written.error().code, ErrorCode::Unsupported);
    EXPECT_FALSE(fs::exists(m_folder / "c.safetensors"));
}

TEST(DemoModel, ItsWeightsOpen) {
    const fs::path demo = REELGRID_SOURCE_DIR "/resources/models/wan-demo";
    SafetensorsFolder transformer(demo / "transformer");
    EXPECT_EQ(transformer.names().size(), 231U);
    WeightScope scope(transformer, at::kFloat);
    const at::Tensor weight = (scope / "blocks" / 0 / "attn1" / "to_q")("weight", {384, 384});
    EXPECT_TRUE(weight.isfinite().all().item<bool>());
    EXPECT_NO_THROW(SafetensorsFolder(demo / "vae"));
    EXPECT_NO_THROW(SafetensorsFolder(demo / "text_encoder"));
}

TEST_F(SafetensorsTest, AFailedWriteLeavesNothing) {
    const fs::path folder = m_folder / "file";
    ASSERT_TRUE(writeFile(folder, "x"));
    EXPECT_FALSE(writeSafetensors(folder / "latents.safetensors", {{"w", at::ones({2})}}));
}

}  // namespace
}  // namespace reelgrid::weights
