#include "core/catalog/model_catalog.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "core/base/pending_file.h"
#include "core/catalog/bare_files.h"
#include "core/catalog/model_folder.h"
#include "core/catalog/model_name.h"
#include "core/catalog/model_parts.h"
#include "tests/base/failing_readdir.h"

namespace reelgrid::catalog {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const fs::path kDemoFolder = fs::path(REELGRID_SOURCE_DIR) / "resources" / "models" / "wan-demo";

class CatalogTest : public testing::Test {
  protected:
    fs::path m_folder = fs::path(testing::TempDir()) / ("catalog_" + std::to_string(getpid()));
    void SetUp() override { fs::create_directories(m_folder); }
    void TearDown() override {
        unsetenv("HF_HUB_CACHE");
        fs::remove_all(m_folder);
    }
};

TEST_F(CatalogTest, KnowsTheDemoModel) {
    const auto model = findModel("demo");
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ(model->family, "wan2.1");
    EXPECT_EQ(model->defaults.width, 256);
    EXPECT_EQ(model->defaults.numInferenceSteps, 20);
    EXPECT_EQ(model->sizes.sizeMultiple, 16);
    EXPECT_EQ(model->layers, 8);
    ASSERT_EQ(model->components.size(), 5u);
    EXPECT_EQ(model->components[0].name, "transformer");
    EXPECT_GT(model->components[0].parameters, 20'000'000);
    EXPECT_THAT(model->components[0].dtypes, testing::ElementsAre("BF16", "F32", "F8_E4M3"));
}

TEST_F(CatalogTest, FindsAHubIdInTheCache) {
    const fs::path repository = m_folder / "models--Wan-AI--Tiny";
    fs::create_directories(repository / "snapshots");
    fs::create_directory_symlink(kDemoFolder, repository / "snapshots" / "abc123");
    ASSERT_TRUE(writeFile(repository / "refs" / "main", "abc123\n"));
    setenv("HF_HUB_CACHE", m_folder.c_str(), 1);
    const auto model = findModel("Wan-AI/Tiny");
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ(model->id, "Wan-AI/Tiny");
    const auto models = listModels();
    EXPECT_EQ(models.front().id, "demo");
    EXPECT_EQ(models.back().id, "Wan-AI/Tiny");
}

TEST_F(CatalogTest, FoldersThatCannotBeReadToTheirEndLeaveTheBuiltInModel) {
    fs::create_directories(m_folder / "models--Wan-AI--Tiny" / "snapshots" / "abc123");
    setenv("HF_HUB_CACHE", m_folder.c_str(), 1);
    const FailingReaddir failing(2);
    const auto models = listModels();
    ASSERT_FALSE(models.empty());
    for (const families::ModelInfo& model : models) EXPECT_TRUE(model.id.starts_with("demo")) << model.id;
    EXPECT_THAT(findModel("Wan-AI/Tiny").error().message, HasSubstr("snapshots: Input/output error"));
    EXPECT_THAT(unreadableInCache(),
                testing::ElementsAre(HasSubstr(m_folder.string() + ": Input/output error")));
}

TEST_F(CatalogTest, AModelInTheCacheThatCannotBeReadIsTold) {
    fs::create_directories(m_folder / "models--Wan-AI--Tiny");
    fs::create_symlink("snapshots", m_folder / "models--Wan-AI--Tiny" / "snapshots");
    setenv("HF_HUB_CACHE", m_folder.c_str(), 1);
    EXPECT_THAT(unreadableInCache(), testing::ElementsAre(HasSubstr("model Wan-AI/Tiny: ")));
    EXPECT_THAT(findModel("Wan-AI/Tiny").error().message, HasSubstr("snapshots: Too many levels"));
    fs::create_symlink("round", m_folder / "round");
    EXPECT_THAT(findModel(m_folder / "round").error().message, HasSubstr("round: Too many levels"));
}

TEST_F(CatalogTest, ARefMayNotLeaveTheCache) {
    const fs::path repository = m_folder / "models--Wan-AI--Tiny";
    fs::create_directories(repository / "snapshots");
    ASSERT_TRUE(writeFile(repository / "refs" / "main", "../../../../etc"));
    setenv("HF_HUB_CACHE", m_folder.c_str(), 1);
    EXPECT_FALSE(findModel("Wan-AI/Tiny"));
}

TEST_F(CatalogTest, SaysWhereAMissingHubModelWasLookedFor) {
    setenv("HF_HUB_CACHE", m_folder.c_str(), 1);
    const auto model = findModel("Wan-AI/Nowhere");
    ASSERT_FALSE(model);
    EXPECT_EQ(model.error().code, ErrorCode::NotFound);
    EXPECT_THAT(model.error().message, HasSubstr(m_folder.string()));
}

TEST(BareFiles, AreTheTransformersOfARepository) {
    EXPECT_THAT(transformerFiles({"README.md", "TurboWan2.1-T2V-1.3B-480P-quant.pth",
                                  "TurboWan2.1-T2V-1.3B-480P.pth", "assets/a.pth"}),
                testing::ElementsAre("TurboWan2.1-T2V-1.3B-480P.pth"));
    EXPECT_THAT(transformerFiles({"T-low-720P-quant.pth", "T-high-720P-quant.pth"}),
                testing::ElementsAre("T-high-720P-quant.pth", "T-low-720P-quant.pth"));
    EXPECT_THAT(transformerFiles({"Wan2.1_VAE.pth", "models_t5_umt5-xxl-enc-bf16.pth",
                                  "models_clip_open-clip-xlm-roberta-large-vit-huge-14.pth"}),
                testing::IsEmpty());
    EXPECT_THAT(componentFiles({"Wan2.1_VAE.pth", "config.json", "google/vae.pth"}, "vae"),
                testing::ElementsAre("Wan2.1_VAE.pth"));
}

TEST_F(CatalogTest, ABareTransformerOfTheHubIsAModelWithWhatTheCacheHasForIt) {
    const fs::path repository = m_folder / "models--TurboDiffusion--Tiny" / "snapshots" / "abc",
                   companions = m_folder / "models--Wan-AI--Wan2.1-T2V-1.3B" / "snapshots" / "abc";
    fs::create_directories(repository);
    const fs::path fixtures = fs::path(REELGRID_SOURCE_DIR) / "tests/fixtures";
    fs::create_symlink(fixtures / "turbo/TurboWan2.1-T2V-tiny.pth", repository / "TurboWan2.1-T2V-tiny.pth");
    ASSERT_TRUE(writeFile(repository / "config.json",
                          R"({"_class_name": "WanTransformer3DModel", "attention_head_dim": 24})"));
    setenv("HF_HUB_CACHE", m_folder.c_str(), 1);
    const std::string home = std::getenv("HOME") != nullptr ? std::getenv("HOME") : "";
    setenv("HOME", m_folder.c_str(), 1);  // where ~/.cache/wan would be
    const auto lacking = findModel("TurboDiffusion/Tiny");
    setenv("HOME", home.c_str(), 1);
    ASSERT_FALSE(lacking);
    EXPECT_EQ(lacking.error().code, ErrorCode::NotFound);
    EXPECT_THAT(lacking.error().message, HasSubstr("no VAE of Wan 2.1"));

    const fs::path transformer = repository / "TurboWan2.1-T2V-tiny.pth";
    EXPECT_EQ(bareFileOf("TurboDiffusion/Tiny"), transformer);
    EXPECT_EQ(companionsOf(transformer).size(), 3U);
    EXPECT_THAT(presentCompanions(transformer), testing::IsEmpty());
    ASSERT_TRUE(writeFile(companions / "google/umt5-xxl/tokenizer.json", "{}"));
    ASSERT_TRUE(writeFile(companions / "Wan2.1_VAE.pth", "weights"));
    const families::ModelPart vae{"vae", companions / "Wan2.1_VAE.pth"},
        tokenizer{"tokenizer", companions / "google/umt5-xxl"};
    EXPECT_THAT(presentCompanions(transformer), testing::ElementsAre(vae, tokenizer));
    // Of its own folder's files one can be named, too.
    protocol::RenderRequest request;
    request.model = "TurboDiffusion/Tiny/TurboWan2.1-T2V-tiny.pth";
    request.vae = (fixtures / "wan/tiny-pipeline/vae").string();
    request.textEncoder = (fixtures / "wan/tiny-pipeline/text_encoder").string();
    const auto whole = findModel(request);
    ASSERT_TRUE(whole) << whole.error().message;
    EXPECT_EQ(whole->id, request.model);
    EXPECT_EQ(whole->folder, transformer);
}

TEST_F(CatalogTest, NamesThePipelineClassItCannotRun) {
    ASSERT_TRUE(writeFile(m_folder / "model_index.json", R"({"_class_name": "FluxPipeline"})"));
    const auto model = findModel(m_folder.string());
    ASSERT_FALSE(model);
    EXPECT_EQ(model.error().code, ErrorCode::Unsupported);
    EXPECT_THAT(model.error().message, HasSubstr("FluxPipeline"));
}

TEST_F(CatalogTest, APartTakesTheComponentsPlaceAndIsSaidToLieElsewhere) {
    EXPECT_THAT(findModel("demo")->componentsElsewhere(), testing::IsEmpty());
    const fs::path other = m_folder / "other-vae";
    fs::copy(kDemoFolder / "vae", other, fs::copy_options::recursive);
    const families::ModelSource source{
        .base = kDemoFolder, .parts = {{"vae", other}, {"unheard_of", kDemoFolder / "reelgrid.json"}}};
    const auto model = readModel(source);
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ(model->source(), source);
    EXPECT_EQ(model->components.size(), 5u) << "the pipeline has no component unheard_of";
    const auto elsewhere = model->componentsElsewhere();
    ASSERT_EQ(elsewhere.size(), 1u);
    EXPECT_EQ(elsewhere[0]->name, "vae");
    EXPECT_EQ(elsewhere[0]->path, other);
    EXPECT_EQ(elsewhere[0]->className, findModel("demo")->components[2].className);
    for (const fs::path& file : elsewhere[0]->files) EXPECT_EQ(file.parent_path(), other);
    EXPECT_EQ(elsewhere[0]->bytes, findModel("demo")->components[2].bytes);
}

TEST_F(CatalogTest, APartMayBeAFileAndMustBeThere) {
    const fs::path file = kDemoFolder / "vae" / "config.json";
    auto index = families::ModelIndex::read({.base = kDemoFolder, .parts = {{"motion_adapter", file}}});
    ASSERT_TRUE(index) << index.error().message;
    EXPECT_EQ(index->classOf("motion_adapter"), "file");
    EXPECT_EQ(index->filesOf("motion_adapter"), std::vector{file});
    index = families::ModelIndex::read({.base = kDemoFolder, .parts = {{"motion_adapter", "/nowhere/mm"}}});
    ASSERT_FALSE(index);
    EXPECT_EQ(index.error().code, ErrorCode::NotFound);
    EXPECT_THAT(index.error().message, HasSubstr("motion_adapter /nowhere/mm"));
}

TEST_F(CatalogTest, ALinkWhoseTargetIsGoneIsNamed) {
    const fs::path link = m_folder / "model.safetensors";
    fs::create_symlink("../../blobs/abc", link);
    const std::string words = link.string() + ": is a link to ../../blobs/abc, which isn't there";
    EXPECT_EQ(findModel(link.string()).error().message, "model " + words);
    EXPECT_EQ(families::ModelIndex::read(link).error().message, "model " + words);
    const auto index = families::ModelIndex::read({.base = kDemoFolder, .parts = {{"motion_adapter", link}}});
    EXPECT_THAT(index.error().message, HasSubstr("its motion_adapter " + words));
    EXPECT_EQ(findPart({"vae", "--vae", link.string()}).error().message, "--vae: " + words);
}

TEST_F(CatalogTest, APipeIsNoModelAndNoPart) {
    const fs::path pipe = m_folder / "pipe";
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    const std::string words = pipe.string() + ": neither a file nor a folder (a pipe, socket or device)";
    EXPECT_EQ(findModel(pipe.string()).error().message, "model " + words);
    EXPECT_EQ(findPart({"vae", "--vae", pipe.string()}).error().message, "--vae: " + words);
}

TEST_F(CatalogTest, ReadsTheCoefficientsOfStepCachesThatLieBesideAModel) {
    fs::copy(kDemoFolder, m_folder / "model", fs::copy_options::recursive);
    const fs::path file = m_folder / "model" / "step-cache.json";
    ASSERT_TRUE(writeFile(file, R"({"steps": 3, "teacache": [2, 1], "magcache": [1, 0.5, 0.25]})"));
    const auto model = findModel((m_folder / "model").string());
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ(model->stepCacheCurves.teacache, (std::vector<double>{2, 1}));
    EXPECT_EQ(model->stepCacheCurves.magcache, (std::vector<double>{1, 0.5, 0.25}));
    ASSERT_TRUE(writeFile(file, R"({"teacache": ["x"]})"));
    const auto refused = findModel((m_folder / "model").string());
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr("step-cache.json: teacache \"x\": a number was needed"));
}

TEST_F(CatalogTest, ANameInAFileMeansTheModelWhereverItLies) {
    const fs::path snapshots = m_folder / "models--Wan-AI--Tiny" / "snapshots";
    fs::create_directories(snapshots);
    for (const char* place : {"here", "there"}) fs::create_directories(m_folder / place);
    fs::copy(kDemoFolder, m_folder / "here" / "mine", fs::copy_options::recursive);
    fs::copy(kDemoFolder, snapshots / "abc123", fs::copy_options::recursive);
    const auto isName = [](const std::string& name, const fs::path& folder) {
        return isNameOf(name, findModel(folder.string()).value());
    };
    const fs::path mine = m_folder / "here" / "mine";
    EXPECT_TRUE(isName(mine.string(), mine));
    EXPECT_TRUE(isName((m_folder / "there" / "mine/").string(), mine)) << "it was moved";
    EXPECT_TRUE(isName("owner/mine", mine)) << "it was downloaded";
    EXPECT_TRUE(isName("Wan-AI/Tiny", snapshots / "abc123"));
    EXPECT_TRUE(isName("demo", kDemoFolder));
    fs::create_directory_symlink(mine, m_folder / "wan-demo");
    EXPECT_TRUE(isNameOf("demo", readModelFolder(m_folder / "wan-demo").value()));
    EXPECT_TRUE(isNameOf(kDemoFolder.string(), findModel("demo").value()));
    for (const char* other : {"demo", "demo-cogvideox", "nope", "owner/other", "/there/mine2", "", "mine/x"})
        EXPECT_FALSE(isName(other, mine)) << other;
}

TEST_F(CatalogTest, TellsWhichComponentsCameWithoutWhatTheyNeed) {
    const fs::path model = m_folder / "model";
    fs::copy(kDemoFolder, model, fs::copy_options::recursive);
    EXPECT_THAT(componentsWithoutWeights(model).value(), testing::IsEmpty());
    for (const auto& file : fs::directory_iterator(model / "vae"))
        if (file.path().filename() != "config.json") fs::remove(file.path());
    fs::remove_all(model / "scheduler");
    EXPECT_THAT(componentsWithoutWeights(model).value(), testing::ElementsAre("vae", "scheduler"));
    fs::remove(model / "model_index.json");
    EXPECT_THAT(componentsWithoutWeights(model).value(), testing::IsEmpty()) << "it is of another form";
}

TEST_F(CatalogTest, NamesTheComponentThatIsMissing) {
    fs::copy(kDemoFolder, m_folder / "model", fs::copy_options::recursive);
    fs::remove_all(m_folder / "model" / "vae");
    const auto model = findModel((m_folder / "model").string());
    ASSERT_FALSE(model);
    EXPECT_THAT(model.error().message, HasSubstr("vae"));
}

}  // namespace
}  // namespace reelgrid::catalog
