#include <gmock/gmock.h>

#include <fstream>

#include "core/base/result.h"
#include "core/catalog/model_catalog.h"
#include "core/families/model_index.h"
#include "core/models/sd35/original_names.h"
#include "core/models/sd35/prompts.h"
#include "core/models/sd35/transformer.h"
#include "core/pipeline/family_registry.h"
#include "core/weights/model_config.h"
#include "core/weights/safetensors_folder.h"
#include "core/weights/safetensors_writer.h"
#include "tests/models/sd35/tiny_model.h"
#include "tests/models/wan/sdpa_dispatcher.h"
#include "tests/weights/hidden_tensors.h"

namespace reelgrid::models::sd35 {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using pipeline::findFaults;
using pipeline::untakenTensors;

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

/// A copy of the file, changed, beside the other parts of a folder.
class ChangedSd35File : public testing::Test {
  protected:
    TinyModel m_folder{"medium"};
    fs::path m_file = m_folder.folder() / "sd3.5_tiny.safetensors";
    std::map<std::string, at::Tensor> m_tensors;

    void SetUp() override {
        weights::SafetensorsFolder stored(kTinyFixtures / "single-file/tiny.safetensors");
        for (const std::string& name : stored.names())
            m_tensors[name] = stored.require(name, stored.shapeOf(name).value()).clone();
    }
    static std::string named(const std::string& name) { return "model.diffusion_model." + name; }
    Result<families::ModelInfo> found() {
        weights::writeSafetensors(m_file, m_tensors).value();
        return catalog::findModel(m_file.string());
    }
    /// What its shapes say of it.
    json config() {
        const auto model = found();
        return families::ModelIndex::read(model.value().source()).value().config("transformer").value();
    }
};

TEST_F(ChangedSd35File, KeepsWhatOtherBlocksHaveWhereOneLacksIt) {
    const json whole = config();
    EXPECT_EQ(whole.at("qk_norm"), "rms_norm");
    m_tensors.erase(named("joint_blocks.0.x_block.attn.ln_q.weight"));
    m_tensors.erase(named("joint_blocks.1.x_block.attn2.qkv.weight"));
    m_tensors.erase(named("joint_blocks.2.x_block.attn.qkv.weight"));
    EXPECT_EQ(config(), whole) << "what is missing is named on loading";
}

/// Its configuration is made of shapes: a file that lacks a tensor must not be one of a smaller model.
TEST_F(ChangedSd35File, WhicheverTensorOfEachKindIsMissingIsNamed) {
    const auto said = [&]() -> std::string {
        const auto model = catalog::findModel(m_file.string());
        if (!model) return model.error().message;
        const auto faults = findFaults(*model).faults;
        return faults.empty() ? "" : faults.front();
    };
    ASSERT_TRUE(found());
    ASSERT_EQ(said(), "");
    const weights::HiddenTensors file(m_file);
    for (const std::string& tensor : weights::lastOfEachKind(weights::SafetensorsFolder(m_file).names())) {
        ASSERT_TRUE(file.hide(tensor)) << tensor;
        // By one of them the file is recognised.
        EXPECT_THAT(said(), testing::AnyOf(testing::HasSubstr(tensor.substr(0, tensor.size() - 1)),
                                           testing::HasSubstr("was needed in it")))
            << tensor;
        file.show(tensor);
    }
}

TEST_F(ChangedSd35File, RefusesAMissingBlock) {
    std::erase_if(m_tensors, [](const auto& tensor) {
        return tensor.first.starts_with("model.diffusion_model.joint_blocks.2.");
    });
    const auto model = found();
    ASSERT_FALSE(model);
    EXPECT_THAT(model.error().message,
                testing::HasSubstr("but no block 2, every block before it was needed"));
}

TEST_F(ChangedSd35File, SaysWhichTensorsBelongToNoLayer) {
    EXPECT_THAT(untakenTensors(found().value()), testing::IsEmpty());
    EXPECT_THAT(findFaults(found().value()).faults, testing::IsEmpty());
    m_tensors[named("joint_blocks.0.x_block.extra.weight")] = at::ones({2});
    m_tensors["first_stage_model.extra"] = at::ones({2});
    m_tensors["model_ema.decay"] = at::scalar_tensor(0.9999);
    m_tensors["model_ema.num_updates"] = at::scalar_tensor(5, at::kInt);
    EXPECT_THAT(untakenTensors(found().value()),
                testing::ElementsAre(
                    testing::HasSubstr("1 tensor belongs to no layer of this model and had no effect (" +
                                       named("joint_blocks.0.x_block.extra.weight)"))));
    EXPECT_THAT(findFaults(found().value()).faults,
                testing::ElementsAre(testing::HasSubstr("belongs to no layer of this model")));
}

TEST(Sd35Folder, NeedsTheProjectionOfItsPooledPrompts) {
    const TinyModel model("medium");
    const fs::path original = kTinyFixtures / "shared/text_encoder", folder = model.folder() / "text_encoder";
    weights::SafetensorsFolder stored(original);
    std::map<std::string, at::Tensor> tensors;
    for (const std::string& name : stored.names())
        tensors[name] = stored.require(name, stored.shapeOf(name).value()).clone();
    ASSERT_EQ(tensors.erase("text_projection.weight"), 1U);
    fs::remove(folder);
    fs::create_directories(folder);
    fs::copy_file(original / "config.json", folder / "config.json");
    weights::writeSafetensors(folder / "model.safetensors", tensors).value();
    EXPECT_THAT(findFaults(catalog::findModel(model.folder().string()).value()).faults,
                testing::ElementsAre(testing::HasSubstr("text_projection.weight is missing")));
    const auto config = text::ClipTextConfig::from(weights::ModelConfig::read(folder));
    EXPECT_THROW(requireProjection(weights::SafetensorsFolder(folder), folder, config), Failure);
    EXPECT_NO_THROW(requireProjection(stored, original, config));
    EXPECT_NO_THROW(
        requireProjection(weights::SafetensorsFolder(folder), folder / "model.safetensors", config));
}

TEST_F(ChangedSd35File, IsReadBelowItsPrefixAlone) {
    const std::string name = "context_embedder.bias";
    const std::vector<std::int64_t> shape = m_tensors.at(named(name)).sizes().vec();
    m_tensors["x_embedder.proj.weight"] = m_tensors.at(named("x_embedder.proj.weight")).clone();
    m_tensors[name] = at::full(shape, 7.0);
    weights::writeSafetensors(m_file, m_tensors).value();
    const auto file = transformerNames(std::make_unique<weights::SafetensorsFolder>(m_file), 4);
    EXPECT_TRUE(at::equal(file->require(name, shape), m_tensors.at(named(name))));
}

}  // namespace
}  // namespace reelgrid::models::sd35
