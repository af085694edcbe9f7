#include <gmock/gmock.h>

#include <unistd.h>
#include <filesystem>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "core/base/pending_file.h"
#include "core/base/result.h"
#include "core/models/animatediff/checkpoint.h"
#include "core/models/animatediff/motion_module.h"
#include "core/models/animatediff/names.h"
#include "core/models/animatediff/unet.h"
#include "core/weights/safetensors_folder.h"
#include "core/weights/safetensors_writer.h"
#include "tests/models/wan/sdpa_dispatcher.h"

namespace reelgrid::models::animatediff {
namespace {

const std::string kUnetFixtures = REELGRID_SOURCE_DIR "/tests/fixtures/animatediff/";
using Parameters = std::map<std::string, std::vector<std::int64_t>>;

double largestOf(const at::Tensor& x) {
    return x.abs().max().item<double>();
}

/// A tiny image model with its motion adapter, from their folders.
struct TinyUnet {
    explicit TinyUnet(const std::string& name)
        : folder(kUnetFixtures + name),
          config(UnetConfig::from(weights::ModelConfig::read(folder + "/unet"))),
          motion(MotionConfig::from(weights::ModelConfig::read(folder + "/motion_adapter"))) {}

    [[nodiscard]] MotionUnet moving(at::ScalarType dtype, const MotionOptions& options = {}) {
        motion.requireFits(config, folder);
        return {config, weights::WeightScope(image, dtype), motion, weights::WeightScope(adapter, dtype),
                options};
    }
    [[nodiscard]] MotionUnet still(at::ScalarType dtype) {
        return {config, weights::WeightScope(image, dtype)};
    }

    std::string folder;
    UnetConfig config;
    MotionConfig motion;
    weights::SafetensorsFolder image{folder + "/unet"}, adapter{folder + "/motion_adapter"};
};

struct UnetCall {
    std::string model;
    int index;
    std::int64_t frames, height, width, texts;
};

void PrintTo(const UnetCall& call, std::ostream* out) {
    *out << call.model << " call " << call.index;
}

class MotionUnetParity : public testing::TestWithParam<UnetCall> {
  protected:
    at::Tensor read(const std::string& name, at::IntArrayRef shape) {
        return m_calls.require(std::to_string(GetParam().index) + "." + name, shape);
    }
    std::vector<std::int64_t> latentShape() const {
        return {1, 4, GetParam().frames, GetParam().height, GetParam().width};
    }
    at::Tensor run(const MotionUnet& unet) {
        return unet
            .forward(read("latents", latentShape()), unet.embedTimestep(read("timestep", {1}).item<double>()),
                     read("text", {GetParam().texts, 7, m_tiny.config.crossAttentionDim}), m_dispatcher)
            .to(at::kFloat);
    }
    double errorOf(const MotionUnet& unet, const std::string& expected) {
        const at::Tensor reference = read(expected, latentShape()), made = run(unet);
        return made.sizes() == reference.sizes() ? largestOf(made - reference) / largestOf(reference) : 1e30;
    }

    TinyUnet m_tiny{GetParam().model};
    weights::SafetensorsFolder m_calls{kUnetFixtures + GetParam().model + "/calls.safetensors"};
    wan::SdpaDispatcher m_dispatcher;
};

TEST_P(MotionUnetParity, EqualsTheReferenceInFp32) {
    const double error = errorOf(m_tiny.moving(at::kFloat), "fp32");
    RecordProperty("relative_error", std::to_string(error));
    EXPECT_LE(error, 2e-5);
}

TEST_P(MotionUnetParity, IsTheSameFrameByFrame) {
    EXPECT_LE(errorOf(m_tiny.moving(at::kFloat, {.framesTogether = 1}), "fp32"), 2e-5);
    EXPECT_LE(errorOf(m_tiny.moving(at::kFloat, {.framesTogether = 2}), "fp32"), 2e-5);
}

TEST_P(MotionUnetParity, EqualsTheImageModelWithoutMotionModules) {
    EXPECT_LE(errorOf(m_tiny.still(at::kFloat), "image"), 2e-5);
    EXPECT_LE(errorOf(m_tiny.moving(at::kFloat, {.manner = {.strength = 0}}), "image"), 2e-5);
    EXPECT_GT(errorOf(m_tiny.moving(at::kFloat), "image"), 0.1);
}

TEST_P(MotionUnetParity, StaysWithinTheReferencesOwnRoundingIn16Bit) {
    const at::Tensor exact = read("fp32", latentShape());
    for (const auto& [dtype, name] : {std::pair{at::kBFloat16, "bf16"}, {at::kHalf, "fp16"}}) {
        const double reference = largestOf(read(name, latentShape()) - exact) / largestOf(exact);
        const double error = errorOf(m_tiny.moving(dtype), "fp32");
        EXPECT_LE(error, 2 * reference + 2e-3) << name;
        EXPECT_GT(error, 1e-6) << name << " was not used";
    }
}

INSTANTIATE_TEST_SUITE_P(Reference, MotionUnetParity,
                         testing::Values(UnetCall{"v1", 0, 1, 8, 8, 1}, UnetCall{"v1", 1, 3, 8, 12, 1},
                                         UnetCall{"v1", 2, 16, 4, 4, 1}, UnetCall{"v1", 3, 24, 4, 4, 24},
                                         UnetCall{"v2", 0, 2, 6, 8, 1}, UnetCall{"v2", 1, 5, 7, 5, 5},
                                         UnetCall{"v2", 2, 32, 2, 4, 1}));

/// Longer clips than there are positions, as diffusers' FreeNoise has them (with noise of any kind).
TEST(MotionUnetWindows, EqualTheReferences) {
    TinyUnet tiny("v1");
    weights::SafetensorsFolder calls(kUnetFixtures + "v1/windows.safetensors");
    wan::SdpaDispatcher dispatcher;
    using Weights = FrameWindows::Weights;
    for (const auto& [name, windows] :
         {std::pair{"pyramid", FrameWindows{.length = 8, .stride = 4, .weights = Weights::Pyramid}},
          {"flat", FrameWindows{.length = 5, .stride = 2, .weights = Weights::Flat}}}) {
        const std::string prefix = name;
        const auto shape = *calls.shapeOf(prefix + ".latents");
        const at::Tensor latents = calls.require(prefix + ".latents", shape);
        const at::Tensor reference = calls.require(prefix + ".fp32", shape);
        const MotionUnet unet = tiny.moving(at::kFloat, {.manner = {.windows = windows}});
        const at::Tensor made = unet.forward(latents, unet.embedTimestep(401),
                                             calls.require(prefix + ".text", {1, 7, 20}), dispatcher);
        EXPECT_LE(largestOf(made - reference) / largestOf(reference), 2e-5) << name;
    }
}

/// Which frame of a loop is the first makes no difference.
TEST(MotionUnetWindows, OfALoopTurnWithItsFrames) {
    TinyUnet tiny("v1");
    wan::SdpaDispatcher dispatcher;
    const FrameWindows windows{.length = 4, .stride = 1, .end = FrameWindows::End::Joined};
    const MotionUnet unet = tiny.moving(at::kFloat, {.manner = {.windows = windows}});
    at::manual_seed(3);
    const at::Tensor latents = at::randn({1, 4, 7, 4, 4}), text = at::randn({1, 7, 20}),
                     time = unet.embedTimestep(300);
    const at::Tensor made = unet.forward(latents, time, text, dispatcher);
    const at::Tensor turned = unet.forward(at::roll(latents, 2, 2), time, text, dispatcher);
    EXPECT_LE(largestOf(turned - at::roll(made, 2, 2)) / largestOf(made), 2e-5);
    const MotionUnet open =
        tiny.moving(at::kFloat, {.manner = {.windows = FrameWindows{.length = 4, .stride = 1}}});
    EXPECT_GT(largestOf(open.forward(latents, time, text, dispatcher) - made) / largestOf(made), 1e-3);
}

TEST(FrameWindowsTest, CoverAClipWhateverItsLength) {
    const FrameWindows windows{.length = 8, .stride = 3, .weights = FrameWindows::Weights::Pyramid};
    EXPECT_EQ(windows.beginsIn(14), (std::vector<std::int64_t>{0, 3, 6}));
    EXPECT_EQ(windows.beginsIn(15), (std::vector<std::int64_t>{0, 3, 6, 7}));
    EXPECT_EQ(windows.beginsIn(5), (std::vector<std::int64_t>{0}));
    EXPECT_EQ(windows.countedOf(6, 15), 8);
    EXPECT_EQ(windows.countedOf(7, 15), 1) << "frame 14 is in no other";
    EXPECT_EQ(windows.countedOf(0, 5), 5);
    FrameWindows loop = windows;
    loop.end = FrameWindows::End::Joined;
    EXPECT_EQ(loop.beginsIn(10), (std::vector<std::int64_t>{0, 3, 6, 9}));
    EXPECT_EQ(loop.countedOf(9, 10), 8);
    const auto options = at::TensorOptions().dtype(at::kFloat);
    EXPECT_TRUE(at::equal(windows.weightsOver(5, options), at::tensor({1.F, 2.F, 3.F, 2.F, 1.F})));
    EXPECT_TRUE(at::equal(windows.weightsOver(4, options), at::tensor({1.F, 2.F, 2.F, 1.F})));
}

std::string unetFailure(const std::function<void()>& run) {
    try {
        run();
    } catch (const Failure& failure) {
        return failure.error().message;
    }
    return "no failure";
}

TEST(MotionUnet, AsksForAttentionByItsKindAndPlace) {
    TinyUnet tiny("v1");
    wan::SdpaDispatcher dispatcher;
    const MotionUnet unet = tiny.moving(at::kFloat, {.skippedBlocks = {"up0", "down1"}});
    (void)unet.forward(at::zeros({1, 4, 2, 8, 8}), unet.embedTimestep(1), at::zeros({1, 7, 20}), dispatcher);
    std::map<attention::ModuleKind, std::vector<int>> places;
    for (const auto& site : dispatcher.sites) places[site.kind].push_back(site.layer);
    // Blocks of 2 down (places 0 to 5), the middle (6), blocks of 3 up (7 to 15).
    EXPECT_EQ(tiny.config.places(), 16);
    const std::vector<int> spatial{0, 1, 2, 3, 6, 10, 11, 12, 13, 14, 15};
    EXPECT_EQ(places[attention::ModuleKind::Self], spatial);
    EXPECT_EQ(places[attention::ModuleKind::Cross], spatial);
    EXPECT_EQ(places[attention::ModuleKind::Temporal],
              (std::vector<int>{0, 0, 1, 1, 4, 4, 5, 5, 10, 10, 11, 11, 12, 12, 13, 13, 14, 14, 15, 15}));
}

TEST(MotionUnet, RefusesWhatItCannotTakeNamingIt) {
    TinyUnet tiny("v1");
    wan::SdpaDispatcher dispatcher;
    const MotionUnet unet = tiny.moving(at::kFloat);
    const auto forward = [&](at::IntArrayRef latents, at::IntArrayRef text) {
        return unetFailure([&] {
            (void)unet.forward(at::zeros(latents), unet.embedTimestep(1), at::zeros(text), dispatcher);
        });
    };
    using testing::HasSubstr;
    EXPECT_THAT(forward({1, 4, 25, 4, 4}, {1, 7, 20}),
                HasSubstr("25 frames at once, the motion module has 24"));
    EXPECT_THAT(forward({1, 3, 2, 4, 4}, {1, 7, 20}), HasSubstr("[1, 3, 2, 4, 4]"));
    EXPECT_THAT(forward({4, 2, 4, 4}, {1, 7, 20}), HasSubstr("[4, 2, 4, 4]"));
    EXPECT_THAT(forward({1, 4, 2, 4, 4}, {3, 7, 20}), HasSubstr("[3, 7, 20], [1 or 2, tokens, 20]"));
    EXPECT_THAT(forward({1, 4, 2, 4, 4}, {1, 7, 21}), HasSubstr("[1, 7, 21]"));
    EXPECT_THAT(unetFailure([&] { (void)tiny.moving(at::kFloat, {.skippedBlocks = {"up3"}}); }),
                HasSubstr("motion_adapter_skip has 'up3'"));
    TinyUnet other("v2");
    EXPECT_THAT(unetFailure([&] { other.motion.requireFits(tiny.config, "adapter"); }),
                HasSubstr("adapter: its blocks have 12, 24 channels, the model's 16, 24, 32"));
}

TEST(UnetConfigs, RefuseWhatTheyCannotDoNamingTheKey) {
    using nlohmann::json;
    for (const json& change :
         {json{{"act_fn", "gelu"}},
          {{"norm_eps", 0}},
          {{"class_embed_type", "timestep"}},
          {{"block_out_channels", {33}}},
          {{"attention_head_dim", 7}},
          {{"attention_head_dim", {8, 8}}},
          {{"layers_per_block", {1, 2, 2, 2}}},
          {{"down_block_types", {"DownBlock2D"}}},
          {{"flip_sin_to_cos", false}},
          {{"freq_shift", 1}},
          {{"num_class_embeds", 3}},
          {{"down_block_types", {"AttnDownBlock2D", "DownBlock2D", "DownBlock2D", "DownBlock2D"}}},
          {{"up_block_types", {"UpBlock2D", "UpBlock2D", "UpBlock2D", "UpBlock2D"}}},
          {{"_class_name", "X"}}})
        EXPECT_THAT(unetFailure([&] { (void)UnetConfig::from(weights::ModelConfig(change, "config.json")); }),
                    testing::HasSubstr("config.json: " + change.begin().key()));
    for (const json& change : {json{{"conv_in_channels", 9}},
                               {{"motion_max_seq_length", 0}},
                               {{"motion_num_attention_heads", 3}},
                               {{"motion_layers_per_block", {2, 3, 2, 2}}},
                               {{"motion_mid_block_layers_per_block", 2}},
                               {{"_class_name", "X"}},
                               {{"motion_transformer_layers_per_mid_block", 2}}})
        EXPECT_THAT(
            unetFailure([&] { (void)MotionConfig::from(weights::ModelConfig(change, "config.json")); }),
            testing::HasSubstr("config.json: " + change.begin().key()));
}

nlohmann::json officialModels() {
    std::ifstream file(kUnetFixtures + "official_parameters.json");
    return nlohmann::json::parse(file);
}

Parameters requestsOf(const weights::RecordingWeights& recording) {
    Parameters asked(recording.requests().begin(), recording.requests().end());
    EXPECT_EQ(asked.size(), recording.requests().size()) << "a parameter was asked for twice";
    return asked;
}

TEST(OfficialAnimateDiff, HasTheReferencesNamesAndShapes) {
    const nlohmann::json official = officialModels();
    const UnetConfig config = UnetConfig::from(weights::ModelConfig(official["sd15"]["config"], "sd15"));
    for (const char* name : {"v1", "v2", "v3"}) {
        const auto motion = MotionConfig::from(weights::ModelConfig(official[name]["config"], name));
        weights::RecordingWeights image, adapter;
        const MotionUnet unet(config, weights::WeightScope(image, at::kHalf), motion,
                              weights::WeightScope(adapter, at::kHalf));
        EXPECT_EQ(requestsOf(image), official["sd15"]["parameters"].get<Parameters>());
        EXPECT_EQ(requestsOf(adapter), official[name]["parameters"].get<Parameters>()) << name;
    }
    weights::RecordingWeights fixed;
    const MotionUnet unet(UnetConfig::stableDiffusion15(), weights::WeightScope(fixed, at::kHalf));
    EXPECT_EQ(requestsOf(fixed), official["sd15"]["parameters"].get<Parameters>());
    EXPECT_EQ(config.places(), 21);
}

TEST(OfficialAnimateDiff, IsFoundInSingleFiles) {
    const nlohmann::json official = officialModels();
    for (const auto& [name, stored] : official["sd15"]["single_file"].items())
        EXPECT_EQ(ldmUnetName(name, 2, 4), stored.get<std::string>());
    for (const auto& [name, stored] : official["v2"]["single_file"].items())
        EXPECT_EQ(authorsMotionName(name), stored.get<std::string>());
    EXPECT_EQ(authorsMotionName("mid_block.motion_modules.0.transformer_blocks.0.pos_embed.pe"),
              "mid_block.motion_modules.0.temporal_transformer.transformer_blocks.0.attention_blocks.0."
              "pos_encoder.pe");
}

TEST(OfficialAnimateDiff, IsToldByTheShapesOfAFile) {
    const nlohmann::json official = officialModels();
    for (const char* name : {"v1", "v2", "v3"}) {
        const auto inFile = official[name]["parameters"].get<Parameters>();
        const auto shapeOf = [&](const std::string& key) {
            const auto found = inFile.find(key);
            return found == inFile.end() ? std::optional<std::vector<std::int64_t>>() : found->second;
        };
        const auto told = MotionConfig::of(shapeOf, "file");
        const auto read = MotionConfig::from(weights::ModelConfig(official[name]["config"], name));
        EXPECT_EQ(told.blockChannels, read.blockChannels);
        EXPECT_EQ(told.layersPerBlock, read.layersPerBlock);
        EXPECT_EQ(told.maxFrames, read.maxFrames);
        EXPECT_EQ(told.midBlock, read.midBlock);
        EXPECT_EQ(told.heads, read.heads);
        // A middle block that lacks a tensor is one, so that loading names what is missing.
        const auto withoutNorm = [&](const std::string& key) {
            return key == "mid_block.motion_modules.0.norm.weight" ? std::nullopt : shapeOf(key);
        };
        EXPECT_EQ(MotionConfig::of(withoutNorm, "file").midBlock, read.midBlock);
    }
    EXPECT_THAT(unetFailure([] {
                    (void)MotionConfig::of([](const std::string&) { return std::nullopt; }, "x.ckpt");
                }),
                testing::HasSubstr("x.ckpt: tensor down_blocks.0.motion_modules.0.transformer_blocks"));
}

TEST(MotionAdapters, OfADiffusersFolderHaveItsConfigurationByTheirFileToo) {
    const std::filesystem::path folder =
        std::filesystem::path(REELGRID_SOURCE_DIR) / "resources/models/demo-animatediff/motion_adapter";
    const MotionConfig whole = openMotionAdapter(folder).config;
    EXPECT_EQ(whole.heads.front(), 2);
    const std::filesystem::path file = folder / "diffusion_pytorch_model.safetensors";
    EXPECT_EQ(openMotionAdapter(file).config.heads, whole.heads);

    const auto copy = std::filesystem::path(testing::TempDir()) / ("adapter_" + std::to_string(getpid()));
    std::filesystem::create_directories(copy);
    std::filesystem::copy_file(file, copy / "m.safetensors");
    auto config = nlohmann::json::parse(readFile(folder / "config.json").value());
    config.erase("_class_name");
    ASSERT_TRUE(writeFile(copy / "config.json", config.dump()));
    EXPECT_EQ(openMotionAdapter(copy / "m.safetensors").config.heads, whole.heads);
    ASSERT_TRUE(writeFile(copy / "config.json", config.dump().substr(0, 100)));
    EXPECT_THAT(unetFailure([&] { (void)openMotionAdapter(copy / "m.safetensors"); }),
                testing::HasSubstr((copy / "config.json").string()));
    std::filesystem::remove_all(copy);
}

class MotionAdapterFile : public testing::TestWithParam<std::string> {};

TEST_P(MotionAdapterFile, HoldsWhatDiffusersFolderHolds) {
    const std::string folder = kUnetFixtures + "authors/motion_adapter";
    weights::SafetensorsFolder reference(folder);
    const MotionAdapter adapter = openMotionAdapter(kUnetFixtures + "authors/" + GetParam());
    const auto config = MotionConfig::from(weights::ModelConfig::read(folder));
    EXPECT_EQ(adapter.config.blockChannels, config.blockChannels);
    EXPECT_EQ(adapter.config.layersPerBlock, config.layersPerBlock);
    EXPECT_EQ(adapter.config.maxFrames, 24);
    EXPECT_EQ(adapter.config.midBlock, config.midBlock);
    ASSERT_GT(reference.names().size(), 50u);
    for (const std::string& name : reference.names()) {
        const auto shape = *reference.shapeOf(name);
        EXPECT_TRUE(at::equal(adapter.weights->require(name, shape), reference.require(name, shape))) << name;
    }
}

TEST(MotionAdapterFiles, OfModelsThatHaveMoreAreRefused) {
    const auto file =
        std::filesystem::path(testing::TempDir()) / ("motion_" + std::to_string(getpid()) + ".safetensors");
    for (const auto& [name, shape, whose] :
         {std::tuple{"conv_in.weight", std::vector<std::int64_t>{8, 9, 3, 3}, "PIA"},
          {"down_blocks.0.motion_modules.0.temporal_transformer.transformer_blocks.0.attention_blocks.0."
           "processor.qkv_merge.weight",
           {8, 8},
           "CameraCtrl"}}) {
        weights::SafetensorsFolder stored(kUnetFixtures + "authors/lightning.safetensors");
        std::map<std::string, at::Tensor> tensors{{name, at::zeros(shape)}};
        for (const std::string& own : stored.names())
            tensors[own] = stored.require(own, *stored.shapeOf(own)).clone();
        weights::writeSafetensors(file, tensors).value();
        EXPECT_THAT(unetFailure([&] { (void)openMotionAdapter(file); }),
                    testing::AllOf(testing::HasSubstr(name), testing::HasSubstr(whose)));
    }
    std::filesystem::remove(file);
}

TEST(MotionAdapterFiles, OfTwoTablesOfPositionsForABlockAreRefused) {
    const auto file = std::filesystem::path(testing::TempDir()) /
                      ("positions_" + std::to_string(getpid()) + ".safetensors");
    const auto openedWith = [&](const std::string& form, const std::string& name, const at::Tensor& table) {
        const weights::WeightFile stored = weights::openWeights(kUnetFixtures + "authors/" + form);
        std::map<std::string, at::Tensor> tensors;
        for (const std::string& own : stored.names)
            tensors[own] = stored.weights->require(own, *stored.shapeOf(own)).clone();
        tensors[name] = table;
        weights::writeSafetensors(file, tensors).value();
        return unetFailure([&] { (void)openMotionAdapter(file); });
    };
    const std::string module = "down_blocks.1.motion_modules.0.", authors = "temporal_transformer.",
                      block = "transformer_blocks.0.";
    const std::string second = "module." + module + authors + block + "attention_blocks.1.pos_encoder.pe";
    const at::Tensor own = sinusoidalPositions(24, 16);
    EXPECT_EQ(openedWith("mm.ckpt", second, own), "no failure");
    EXPECT_EQ(openedWith("mm.ckpt", second, own.to(at::kBFloat16)), "no failure") << "rounded";
    for (const at::Tensor& other : {own.flip(1).contiguous(), sinusoidalPositions(32, 16)})
        EXPECT_THAT(
            openedWith("mm.ckpt", second, other),
            testing::AllOf(testing::HasSubstr(file.string() + ": tensor \"module." + module),
                           testing::HasSubstr(" has other positions than module." + module + authors + block +
                                              "attention_blocks.0.pos_encoder.pe, one table")));
    // Under two kinds of names.
    EXPECT_THAT(openedWith("lightning.safetensors",
                           module + authors + block + "attention_blocks.0.pos_encoder.pe", -own),
                testing::HasSubstr("has other positions than"));
    std::filesystem::remove(file);
}

INSTANTIATE_TEST_SUITE_P(Forms, MotionAdapterFile,
                         testing::Values("motion_adapter", "mm.ckpt", "lightning.safetensors"),
                         [](const auto& tested) {
                             return tested.param.substr(0, tested.param.find_first_of("._"));
                         });

}  // namespace
}  // namespace reelgrid::models::animatediff
