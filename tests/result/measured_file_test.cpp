#include "core/result/measured_file.h"

#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/json.h"
#include "core/base/pending_file.h"
#include "core/result/metrics_file.h"
#include "tests/jobs/temporary_folder.h"

namespace reelgrid::result {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

metrics::ClipMetrics measured(double lpips) {
    metrics::ClipMetrics metrics;
    metrics.frames = 2;
    metrics.clipScore = metrics::Series{31.25, {31, 31.5}};
    metrics.measuredWith["clip_score"] = "clip-vit-base-patch32, on lossless frames";
    metrics.drift.emplace().lpips = metrics::Series{lpips, {lpips, lpips}};
    metrics.drift->measuredOn = metrics::kKeptFrames;
    return metrics;
}

class MeasuredFile : public testing::Test {
  protected:
    void SetUp() override { fs::create_directories(m_file.parent_path()); }
    [[nodiscard]] json document() const { return readJsonObject(m_file).value(); }
    void write(const json& changed) const { ASSERT_TRUE(writeFile(m_file, changed.dump())); }

    jobs::TemporaryFolder m_folder;
    fs::path m_clip = fs::path(m_folder.path()) / "a.mp4";
    fs::path m_file = fs::path(m_folder.path()) / "a.files" / kMeasuredFile;
    MeasuredOf m_of{"11", "22", "a prompt", "33"};
};

TEST_F(MeasuredFile, HasWhatWasMeasuredOfJustThat) {
    EXPECT_FALSE(findMeasured(m_clip, m_of)) << "no file";
    ASSERT_TRUE(keepMeasured(m_clip, m_of, measured(0.125)));
    const auto found = findMeasured(m_clip, m_of);
    ASSERT_TRUE(found);
    EXPECT_EQ(toJson(*found), toJson(measured(0.125)));
    // Other frames, another reference, prompt, or other weights are something else.
    for (const MeasuredOf& other :
         {MeasuredOf{"1", "22", "a prompt", "33"}, MeasuredOf{"11", "", "a prompt", "33"},
          MeasuredOf{"11", "22", "", "33"}, MeasuredOf{"11", "22", "a prompt", "34"},
          MeasuredOf{"1122", "", "a prompt", "33"}})
        EXPECT_FALSE(findMeasured(m_clip, other));
}

TEST_F(MeasuredFile, KeepsTheNewestFew) {
    for (int i = 0; i < 12; ++i)
        ASSERT_TRUE(keepMeasured(m_clip, {std::to_string(i), "", "", ""}, measured(i / 100.0)));
    ASSERT_TRUE(keepMeasured(m_clip, {"11", "", "", ""}, measured(0.75)));
    EXPECT_EQ(document()["measured"].size(), kMostMeasured);
    EXPECT_EQ(findMeasured(m_clip, {"11", "", "", ""})->drift->lpips->mean, 0.75) << "in the old one's place";
    EXPECT_TRUE(findMeasured(m_clip, {"4", "", "", ""}));
    EXPECT_FALSE(findMeasured(m_clip, {"3", "", "", ""}));
}

TEST_F(MeasuredFile, WhatIsDamagedOrChangedByHandIsMeasuredAgain) {
    ASSERT_TRUE(keepMeasured(m_clip, m_of, measured(0.125)));
    const json whole = document();
    const auto isFoundWith = [&](const char* pointer, const json& value) {
        json changed = whole;
        changed[json::json_pointer(pointer)] = value;
        write(changed);
        return findMeasured(m_clip, m_of).has_value();
    };
    EXPECT_TRUE(isFoundWith("/note", "other keys are nothing")) << "a key more";
    EXPECT_FALSE(isFoundWith("/measured/0/metrics/drift/lpips/mean", 0.0));
    EXPECT_FALSE(isFoundWith("/measured/0/metrics", json::array()));
    EXPECT_FALSE(isFoundWith("/measured/0/sha256", 3));
    EXPECT_FALSE(isFoundWith("/measured/0", "text"));
    EXPECT_FALSE(isFoundWith("/measured", 7));
    EXPECT_FALSE(isFoundWith("/version", 1));
    const std::string text = whole.dump();
    ASSERT_TRUE(writeFile(m_file, text.substr(0, text.size() / 2)));
    EXPECT_FALSE(findMeasured(m_clip, m_of));
    ASSERT_TRUE(keepMeasured(m_clip, m_of, measured(0.25))) << "and the file is whole again";
    EXPECT_EQ(findMeasured(m_clip, m_of)->drift->lpips->mean, 0.25);
}

}  // namespace
}  // namespace reelgrid::result
