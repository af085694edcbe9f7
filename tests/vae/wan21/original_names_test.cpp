#include "core/vae/wan21/original_names.h"

#include <gtest/gtest.h>

#include <set>

#include "core/base/pending_file.h"
#include "core/weights/renamed_weights.h"
#include "tests/vae/wan21/vae_fixture.h"

namespace reelgrid::vae::wan21 {
namespace {

/// {Wan's own name: diffusers' name}, recorded with diffusers' conversion of Wan 2.1's model, and with the
/// proof that Wan 2.2's computes the same.
std::map<std::string, std::string> recordedNames(const char* file = "wan21_original_names.json") {
    return nlohmann::json::parse(readFile(fixtureFolder() / file).value());
}

TEST(OriginalNames, AreThoseThatDiffusersConverts) {
    std::set<std::string> asked;
    for (const auto& [original, diffusers] : recordedNames()) {
        EXPECT_EQ(originalName(diffusers, WanVaeConfig::official()), original);
        asked.insert(diffusers);
    }
    EXPECT_EQ(asked.size(), 194U);
}

TEST(OriginalNames, OfWan22AreThoseThatComputeTheSame) {
    std::map<std::string, std::string> names = recordedNames("wan22_original_names.json");
    for (const auto& [original, diffusers] : names)
        EXPECT_EQ(originalName(diffusers, WanVaeConfig::official22()), original);
    weights::RecordingWeights recording;
    const WanVae vae(weights::WeightScope(recording, at::kFloat), WanVaeConfig::official22());
    EXPECT_EQ(recording.requests().size(), names.size());
}

TEST(OriginalNames, ServeEveryParameterOfTheModel) {
    auto recording = std::make_unique<weights::RecordingWeights>();
    weights::RecordingWeights& seen = *recording;
    weights::RenamedWeights names(std::move(recording), [](const std::string& name) {
        return originalName(name, WanVaeConfig::official());
    });
    const WanVae vae(weights::WeightScope(names, at::kFloat), WanVaeConfig::official());
    const auto recorded = recordedNames();
    EXPECT_EQ(seen.requests().size(), recorded.size());
    for (const auto& [name, shape] : seen.requests()) EXPECT_TRUE(recorded.contains(name)) << name;
}

}  // namespace
}  // namespace reelgrid::vae::wan21
