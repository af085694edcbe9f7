#include <gmock/gmock.h>

#include <fstream>

#include "core/base/result.h"
#include "core/catalog/model_catalog.h"
#include "core/models/sd35/original_names.h"
#include "core/models/sd35/transformer.h"
#include "core/weights/model_config.h"
#include "core/weights/safetensors_folder.h"
#include "tests/models/sd35/tiny_model.h"
#include "tests/models/wan/sdpa_dispatcher.h"

namespace reelgrid::models::sd35 {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class OfficialSd35File : public testing::TestWithParam<std::string> {};

TEST_P(OfficialSd35File, HasTheNamesThatAreAskedFor) {
    std::ifstream file(kTinyFixtures / "official_parameters.json");
    const json reference = json::parse(file).at(GetParam());
    std::set<std::string> asked;
    for (const auto& [name, shape] : reference.at("parameters").items()) asked.insert(originalName(name));
    const auto expected = reference.at("single_file").get<std::set<std::string>>();
    EXPECT_EQ(asked, expected);
}

INSTANTIATE_TEST_SUITE_P(Published, OfficialSd35File, testing::Values("medium", "large"));

TEST(Sd35File, HasTheTransformerOfTheFolder) {
    weights::SafetensorsFolder folder(kTinyFixtures / "medium/transformer");
    const auto config =
        Sd35TransformerConfig::from(weights::ModelConfig::read(kTinyFixtures / "medium/transformer"));
    const auto file = transformerNames(
        std::make_unique<weights::SafetensorsFolder>(kTinyFixtures / "single-file/tiny.safetensors"),
        config.numLayers);
    for (const std::string& name : folder.names()) {
        const auto shape = folder.shapeOf(name).value();
        ASSERT_TRUE(file->has(name)) << name;
        EXPECT_TRUE(at::equal(file->require(name, shape), folder.require(name, shape))) << name;
    }
}

TEST(Sd35File, IsAModelWithWhatLiesBesideIt) {
    const TinyModel folder("medium");
    const fs::path file = folder.folder() / "sd3.5_tiny.safetensors";
    fs::create_symlink(kTinyFixtures / "single-file/tiny.safetensors", file);
    const auto whole = catalog::findModel(folder.folder().string()),
               model = catalog::findModel(file.string());
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ(model->layers, whole->layers);
    EXPECT_EQ(model->attentionKinds, whole->attentionKinds);
    EXPECT_EQ(model->sizes.maxSize, whole->sizes.maxSize);
    EXPECT_EQ(model->components.size(), whole->components.size());
    EXPECT_EQ(model->defaults.width, 14 * 4) << "as many pixels as there are positions";

    fs::remove(folder.folder() / "text_encoder_3");
    const auto without = catalog::findModel(file.string());
    ASSERT_TRUE(without) << without.error().message;
    EXPECT_FALSE(without->takes("prompt_3"));

    fs::remove(folder.folder() / "tokenizer_2");
    const auto broken = catalog::findModel(file.string());
    ASSERT_FALSE(broken);
    EXPECT_THAT(broken.error().message, testing::AllOf(testing::HasSubstr("tokenizer_2"),
                                                       testing::HasSubstr("REELGRID_MODEL_PARTS")));
}

}  // namespace
}  // namespace reelgrid::models::sd35
