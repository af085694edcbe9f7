#include "core/result/component_hash.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "core/base/pending_file.h"
#include "core/base/sha256.h"
#include "core/result/hashes_under_way.h"
#include "core/result/model_hashes.h"

namespace reelgrid::result {
namespace {

namespace fs = std::filesystem;

class ComponentHashTest : public testing::Test {
  protected:
    fs::path m_folder = fs::path(testing::TempDir()) / ("component_hash_" + std::to_string(getpid()));
    void SetUp() override {
        fs::create_directories(m_folder / "nested");
        ASSERT_TRUE(writeFile(m_folder / "model.safetensors", "abc"));
        ASSERT_TRUE(writeFile(m_folder / "config.json", "{}"));
    }
    void TearDown() override { fs::remove_all(m_folder); }

    [[nodiscard]] std::vector<fs::path> files() const {
        return {m_folder / "config.json", m_folder / "model.safetensors"};
    }
};

TEST_F(ComponentHashTest, HashesItsFilesByName) {
    ComponentHasher hasher;
    const ComponentHash hash = hasher.hash(files()).value();
    ASSERT_EQ(hash.files.size(), 2U);
    EXPECT_EQ(hash.files[0].name, "config.json");
    EXPECT_EQ(hash.files[1].sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(hash.files[1].bytes, 3U);
    EXPECT_EQ(hash.sha256, hasher.hash(files())->sha256);
}

TEST_F(ComponentHashTest, SeesAChangeThatKeepsSizeAndTime) {
    ComponentHasher hasher;
    const fs::path file = m_folder / "model.safetensors";
    const std::string before = hasher.hash(files())->sha256;
    EXPECT_EQ(hasher.hash(files())->sha256, before);
    const auto time = fs::last_write_time(file);
    ASSERT_TRUE(writeFile(file, "xyz"));
    fs::last_write_time(file, time);
    EXPECT_NE(hasher.hash(files())->sha256, before);
}

/// As long ago as what is kept must have changed.
void age() {
    std::this_thread::sleep_for(std::chrono::milliseconds(2100));
}

TEST_F(ComponentHashTest, NamesAFileThatWasWrittenOverAndNoneThatAnotherTookThePlaceOf) {
    ComponentHasher hasher;
    EXPECT_EQ(hasher.writtenOver(files()), "") << "never hashed";
    hasher.hash(files()).value();
    EXPECT_EQ(hasher.writtenOver(files()), "");
    std::ofstream(files()[0]) << "{}";  // the same bytes
    EXPECT_EQ(hasher.writtenOver(files()), "");
    std::ofstream(files()[1], std::ios::app) << "d";
    EXPECT_EQ(hasher.writtenOver(files()), files()[1]);
    hasher.hash(files()).value();
    std::ofstream(m_folder / "other") << "another";
    fs::rename(m_folder / "other", files()[0]);
    fs::remove(files()[1]);
    EXPECT_EQ(hasher.writtenOver(files()), "");
}

TEST_F(ComponentHashTest, OfLargeFilesAreKeptForTheNextProcess) {
    const fs::path cache = m_folder / "cache" / "file-hashes.json", file = m_folder / "model.safetensors";
    const KeptHashes kept(cache, 3);
    const std::string hash = ComponentHasher(kept).hashFile(file)->sha256;
    EXPECT_FALSE(fs::exists(cache)) << "a file that may be changed within the same tick";
    age();
    (void)ComponentHasher(kept).hash(files());
    const FileStamp stamp = stampOf(file).value();
    EXPECT_EQ(kept.find(file, stamp), hash);
    EXPECT_FALSE(kept.find(m_folder / "config.json", stampOf(m_folder / "config.json").value())) << "small";
    // That it is taken: another process wrote this.
    kept.keep(file, stamp, std::string(64, 'a'));
    EXPECT_EQ(ComponentHasher(kept).hashFile(file)->sha256, std::string(64, 'a'));
    // Touched since: read again.
    ASSERT_TRUE(writeFile(file, "abc"));
    EXPECT_EQ(ComponentHasher(kept).hashFile(file)->sha256, hash);
}

TEST_F(ComponentHashTest, WhatIsKeptAndDamagedIsHashedAnew) {
    const fs::path cache = m_folder / "file-hashes.json", file = m_folder / "model.safetensors";
    const KeptHashes kept(cache, 3);
    const FileStamp stamp = stampOf(file).value();
    const std::string about = R"("path":")" + file.string() + R"(","stamp":[)" + std::to_string(stamp.bytes) +
                              "," + std::to_string(stamp.inode) + "," + std::to_string(stamp.modified) + "," +
                              std::to_string(stamp.changed) + "]";
    const std::string good(64, 'b');
    const auto documentOf = [&](const std::string& version, const std::string& sha256) {
        return R"({"version":)" + version + R"(,"files":[{)" + about + R"(,"sha256":)" + sha256 + "}]}";
    };
    ASSERT_TRUE(writeFile(cache, documentOf("1", '"' + good + '"')));
    ASSERT_EQ(kept.find(file, stamp), good);
    for (const std::string& damaged :
         {documentOf("2", '"' + good + '"'), documentOf("1", "\"short\""), documentOf("1", "7"),
          documentOf("1", '"' + std::string(64, 'Z') + '"'), std::string(R"({"version":1,"files":{}})"),
          std::string(R"({"version":1,"files":[3,null]})"), std::string("half a fi")}) {
        ASSERT_TRUE(writeFile(cache, damaged));
        EXPECT_FALSE(kept.find(file, stamp)) << damaged;
        EXPECT_EQ(ComponentHasher(kept).hashFile(file)->sha256,
                  "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}

TEST_F(ComponentHashTest, WhatWasLearntIsWhatIsHashedAndAFileThatIsNotThereIsForHashToSay) {
    ComponentHasher hasher;
    ASSERT_TRUE(
        hasher.learn({m_folder / "config.json", m_folder / "none", m_folder / "model.safetensors"}, {}));
    EXPECT_EQ(hasher.hash(files())->sha256, ComponentHasher().hash(files())->sha256);
    EXPECT_EQ(hasher.hash({m_folder / "none"}).error().code, ErrorCode::NotFound);
    std::stop_source stopped;
    stopped.request_stop();
    EXPECT_EQ(hasher.learn(files(), stopped.get_token()).error().code, ErrorCode::Cancelled);
}

TEST_F(ComponentHashTest, OfAModelUnderWayAreThoseMadeAtOnce) {
    families::ModelInfo model;
    model.components = {{.name = "vae", .className = "", .files = files(), .dtypes = {}}};
    ComponentHasher hasher, other;
    HashesUnderWay underWay(model, {}, hasher);
    const auto hashes = underWay.wait();
    ASSERT_TRUE(hashes) << hashes.error().message;
    EXPECT_EQ(*hashes, modelHashes(model, {}, other).value());
    const HashesUnderWay nobodyWaits(model, {}, hasher);
}

TEST_F(ComponentHashTest, OfAModelCoverItsIndexAndEveryComponent) {
    families::ModelInfo model;
    model.folder = m_folder.parent_path() / (m_folder.filename().string() + "_model");
    model.indexFile = model.folder / "model_index.json";
    model.components = {
        {.name = "scheduler",
         .className = "",
         .files = {model.folder / "scheduler/scheduler_config.json"},
         .dtypes = {}},
        {.name = "vae", .className = "", .files = {model.folder / "vae/config.json"}, .dtypes = {}}};
    for (const char* file : {"model_index.json", "scheduler/scheduler_config.json", "vae/config.json"})
        ASSERT_TRUE(writeFile(model.folder / file, "{}"));
    ComponentHasher hasher;
    const auto before = modelHashes(model, {}, hasher).value();
    EXPECT_EQ(before.size(), 3U);
    ASSERT_TRUE(writeFile(model.folder / "scheduler/scheduler_config.json", R"({"flow_shift":9})"));
    const auto after = modelHashes(model, {}, hasher).value();
    EXPECT_NE(after.at("scheduler"), before.at("scheduler"));
    EXPECT_EQ(after.at("vae"), before.at("vae"));
    EXPECT_EQ(after.at("model_index.json"), before.at("model_index.json"));
    fs::remove_all(model.folder);
}

TEST_F(ComponentHashTest, OfAModelCoverItsLoras) {
    catalog::RenderSettings settings;
    settings.lora = {(m_folder / "model.safetensors").string() + ":0.5"};
    ComponentHasher hasher;
    const auto hashes = modelHashes({}, settings, hasher).value();
    EXPECT_EQ(hashes.at("lora 1: model.safetensors"),
              "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    settings.lora2 = {"none"};
    EXPECT_EQ(modelHashes({}, settings, hasher).value(), hashes);
    fs::rename(m_folder / "model.safetensors", m_folder / "adapter_model.safetensors");
    writeFile(m_folder / "adapter_config.json", "{}").value();
    settings.lora = {(m_folder / "adapter_model.safetensors").string()};
    EXPECT_TRUE(modelHashes({}, settings, hasher)->contains("lora 1: adapter_config.json"));
    settings.lora = {(m_folder / "gone.safetensors").string()};
    const auto missing = modelHashes({}, settings, hasher);
    ASSERT_FALSE(missing);
    EXPECT_NE(missing.error().message.find("gone.safetensors"), std::string::npos);
}

TEST_F(ComponentHashTest, OfALoraUnderWayEndWithWhoeverWantedThem) {
    const fs::path file = m_folder / "sparse.safetensors";
    ASSERT_TRUE(writeFile(file, ""));
    fs::resize_file(file, std::uintmax_t{40} << 30);
    catalog::RenderSettings settings;
    settings.lora = {file.string()};
    ComponentHasher hasher;
    const auto begin = std::chrono::steady_clock::now();
    {
        const HashesUnderWay nobodyWaits({}, settings, hasher);
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(8));
}

TEST_F(ComponentHashTest, NamesAMissingFile) {
    const auto hash = ComponentHasher().hash({m_folder / "gone"});
    ASSERT_FALSE(hash.ok());
    EXPECT_EQ(hash.error().code, ErrorCode::NotFound);
}

}  // namespace
}  // namespace reelgrid::result
