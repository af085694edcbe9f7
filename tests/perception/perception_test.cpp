#include "core/perception/perception.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/json.h"
#include "core/base/sha256.h"
#include "core/media/writer.h"
#include "core/perception/clip_pair.h"
#include "core/perception/dino_encoder.h"
#include "core/perception/frame_pictures.h"
#include "core/perception/lpips.h"
#include "core/perception/metric_source.h"
#include "core/perception/metric_weights.h"
#include "core/weights/safetensors_folder.h"
#include "core/weights/safetensors_writer.h"
#include "tests/perception/hashed_weights.h"

namespace reelgrid::perception {
namespace {

namespace fs = std::filesystem;
using metrics::Asked;
using testing::AllOf;
using testing::HasSubstr;

const fs::path kFixtures = fs::path(REELGRID_SOURCE_DIR) / "tests/fixtures/perception";

media::RgbVideo videoOf(const at::Tensor& frames_FYX3) {
    const at::Tensor bytes = frames_FYX3.contiguous();
    const auto* first = bytes.const_data_ptr<std::uint8_t>();
    return {int(bytes.size(2)), int(bytes.size(1)), {8, 1}, {first, first + bytes.numel()}};
}

/// Made-up weights by their real names, in a folder as a user has one, and two clips.
class PerceptionTest : public testing::Test {
  protected:
    /// Of dino.safetensors.
    [[nodiscard]] std::string dinosRefusal() const {
        try {
            const DinoEncoder dino(weights::openWeights(m_folder / "dino.safetensors"), at::kCPU);
        } catch (const Failure& failure) {
            return failure.error().message;
        }
        return {};
    }
    void SetUp() override {
        // Nothing of this machine's own is found.
        setenv("HF_HUB_CACHE", (m_folder / "no-cache").c_str(), 1);
        setenv("TORCH_HOME", (m_folder / "no-torch").c_str(), 1);
        fs::create_directories(weights());
        m_shapes = readJsonObject(kFixtures / "shapes.json").value();
        m_expected = readJsonObject(kFixtures / "expected.json").value();
        weights::SafetensorsFolder stored(kFixtures / "frames.safetensors");
        m_frames = stored.require("frames", {5, 72, 100, 3});
        m_reference = stored.require("reference", {5, 72, 100, 3});
        m_dino = stored.require("dino_features", {5, 128});
        m_dinoSquare = stored.require("dino_square", {5, 128});
    }
    void TearDown() override { fs::remove_all(m_folder); }

    [[nodiscard]] fs::path weights() const { return m_folder / "weights"; }
    [[nodiscard]] std::map<std::string, Shape> shapes(const char* part) const { return m_shapes.at(part); }
    [[nodiscard]] std::vector<double> expected(const char* key) const { return m_expected.at(key); }

    void writeWeights(const char* part, const fs::path& file) const {
        fs::create_directories(file.parent_path());
        weights::writeSafetensors(file, hashedWeights(shapes(part))).value();
    }
    void writeClipModel(const char* name = "clip-vit-base-patch32") const {
        const fs::path folder = weights() / name;
        writeWeights("clip", folder / "model.safetensors");
        fs::copy_file(kFixtures / "clip/config.json", folder / "config.json");
        for (const char* file : {"vocab.json", "merges.txt", "tokenizer_config.json"})
            fs::copy_file(kFixtures.parent_path() / "clip/slow" / file, folder / file);
    }
    /// With one value for all of `tensor`'s.
    void writeFilled(const char* part, const fs::path& file, const std::string& tensor, double value) const {
        auto tensors = hashedWeights(shapes(part));
        tensors.at(tensor).fill_(value);
        weights::writeSafetensors(file, tensors).value();
    }
    [[nodiscard]] fs::path clipOf(const at::Tensor& frames, const char* name) const {
        const media::RgbVideo video = videoOf(frames);
        const auto writer = media::Writer::create(m_folder / name, {.width = video.width,
                                                                    .height = video.height,
                                                                    .fps = video.fps,
                                                                    .container = media::Container::Mkv,
                                                                    .fidelity = media::Fidelity::Lossless})
                                .value();
        for (int i = 0; i < video.frameCount(); ++i) writer->write(video.frame(i)).value();
        writer->finish().value();
        return m_folder / name;
    }
    [[nodiscard]] Lpips lpips(Lpips::Net net, const char* part) const {
        const std::string heads = std::string(part) + "_heads";
        writeWeights(part, m_folder / "net.safetensors");
        writeWeights(heads.c_str(), m_folder / "heads.safetensors");
        weights::SafetensorsFolder backbone(m_folder / "net.safetensors"),
            own(m_folder / "heads.safetensors");
        return {net, {backbone, at::kFloat}, {own, at::kFloat}};
    }
    void expectLpips(Lpips::Net net, const std::string& part) const {
        const Lpips network = lpips(net, part.c_str());
        const at::Tensor a = aroundZero(picturesOf(videoOf(m_frames), at::kCPU)),
                         b = aroundZero(picturesOf(videoOf(m_reference), at::kCPU));
        const at::Tensor distances = network.distance(a, b);
        const auto whole = expected(part.c_str());
        for (int i = 0; i < 5; ++i)
            EXPECT_NEAR(distances[i].item<double>(), whole[std::size_t(i)], 1e-5) << part << " " << i;
        const auto small = expected((part + "_small").c_str());
        const std::vector<std::pair<int, int>> sizes{{31, 31}, {35, 47}, {71, 32}};
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            const auto cut = [&](const at::Tensor& pictures) {
                return pictures.narrow(0, 1, 1).narrow(2, 0, sizes[i].first).narrow(3, 0, sizes[i].second);
            };
            EXPECT_NEAR(network.distance(cut(a), cut(b)).item<double>(), small[i], 1e-5)
                << part << " small " << i;
        }
        const int least = network.leastSide();
        EXPECT_NO_THROW(static_cast<void>(network.distance(a.narrow(2, 0, least).narrow(3, 0, least),
                                                           b.narrow(2, 0, least).narrow(3, 0, least))));
        EXPECT_THROW(
            static_cast<void>(network.distance(a.narrow(2, 0, least - 1), b.narrow(2, 0, least - 1))),
            Failure);
    }
    std::string whyNot(const std::vector<Asked>& asked) const {
        const auto loaded = Perception::load(asked, weights().string(), {});
        return loaded ? "loaded" : loaded.error().message;
    }

    fs::path m_folder = fs::path(testing::TempDir()) / ("perception_" + std::to_string(getpid()));
    nlohmann::json m_shapes, m_expected;
    at::Tensor m_frames, m_reference, m_dino, m_dinoSquare;
};

TEST_F(PerceptionTest, LpipsIsThePackagesOnAlexNet) {
    expectLpips(Lpips::Net::Alex, "alex");
}

TEST_F(PerceptionTest, LpipsIsThePackagesOnSqueezeNet) {
    expectLpips(Lpips::Net::Squeeze, "squeeze");
}

TEST_F(PerceptionTest, DinosFeaturesAreTheReferencesOfSquaresAndOthers) {
    writeWeights("dino", m_folder / "dino.safetensors");
    const DinoEncoder dino(weights::openWeights(m_folder / "dino.safetensors"), at::kCPU);
    EXPECT_EQ(dino.pictureSide(), 224);
    const at::Tensor pixels = normalisedForDino(
        shorterSideAt(picturesOf(videoOf(m_frames), at::kCPU), dino.pictureSide(), Samples::Bilinear));
    EXPECT_EQ(pixels.size(3), 311);
    EXPECT_LT((dino.forward(pixels) - m_dino).abs().max().item<double>(), 2e-4);
    EXPECT_LT((dino.forward(pixels.narrow(3, 40, 224)) - m_dinoSquare).abs().max().item<double>(), 2e-4);
}

TEST_F(PerceptionTest, DinoThatLacksATensorOfALayerIsRefusedByItsName) {
    auto fewer = hashedWeights(shapes("dino"));
    ASSERT_EQ(fewer.erase("blocks.0.norm1.weight"), 1U);
    weights::writeSafetensors(m_folder / "dino.safetensors", fewer).value();
    EXPECT_THAT(dinosRefusal(), testing::HasSubstr("blocks.0.norm1.weight"));
}

TEST_F(PerceptionTest, DinoOfAPublishedWidthWithFewerLayersIsRefused) {
    constexpr std::int64_t c = 384;
    weights::writeSafetensors(m_folder / "dino.safetensors",
                              hashedWeights({{"pos_embed", {1, 5, c}},
                                             {"cls_token", {1, 1, c}},
                                             {"patch_embed.proj.weight", {c, 3, 2, 2}},
                                             {"patch_embed.proj.bias", {c}},
                                             {"norm.weight", {c}},
                                             {"norm.bias", {c}},
                                             {"blocks.10.norm1.weight", {c}}}))
        .value();
    EXPECT_THAT(dinosRefusal(), testing::HasSubstr("it has 11 layers of 384 channels, 12 were needed"));
}

TEST_F(PerceptionTest, DinoIsTheSameByTransformersNames) {
    const auto authors = hashedWeights(shapes("dino"));
    std::map<std::string, at::Tensor> theirs;
    for (const auto& [name, tensor] : authors) {
        const std::string kind = name.substr(name.rfind('.') + 1);
        const auto place = [&](const std::string& to) { theirs[to] = tensor; };
        if (name == "cls_token") place("embeddings.cls_token");
        if (name == "pos_embed") place("embeddings.position_embeddings");
        if (name.starts_with("patch_embed")) place("embeddings.patch_embeddings.projection." + kind);
        if (name.starts_with("norm.")) place("layernorm." + kind);
        if (!name.starts_with("blocks.")) continue;
        const std::string layer = "encoder.layer." + name.substr(7, 1) + ".";
        if (name.find("norm1") != name.npos) place(layer + "layernorm_before." + kind);
        if (name.find("norm2") != name.npos) place(layer + "layernorm_after." + kind);
        if (name.find("attn.proj") != name.npos) place(layer + "attention.output.dense." + kind);
        if (name.find("fc1") != name.npos) place(layer + "intermediate.dense." + kind);
        if (name.find("fc2") != name.npos) place(layer + "output.dense." + kind);
        if (name.find("qkv") == name.npos) continue;
        const auto parts = tensor.chunk(3);
        for (std::size_t i = 0; i < 3; ++i)
            theirs[layer + "attention.attention." + std::array{"query", "key", "value"}[i] + "." + kind] =
                parts[i].contiguous();
    }
    const fs::path folder = weights() / "dino-vitb16";
    fs::create_directories(folder);
    weights::writeSafetensors(folder / "model.safetensors", theirs).value();
    const DinoEncoder dino(weights::openWeights(folder), at::kCPU);
    const at::Tensor pixels =
        normalisedForDino(shorterSideAt(picturesOf(videoOf(m_frames), at::kCPU), 224, Samples::Bilinear));
    EXPECT_LT((dino.forward(pixels) - m_dino).abs().max().item<double>(), 1e-3);
}

TEST_F(PerceptionTest, PicturesAndPromptAreAsFarApartAsForTransformers) {
    writeClipModel();
    const ClipPair clip(weights() / "clip-vit-base-patch32", at::kCPU);
    const media::RgbVideo video = videoOf(m_frames);
    std::vector<at::Tensor> pixels;
    for (int i = 0; i < video.frameCount(); ++i)
        pixels.push_back(clip.processor().pixels(
            {video.width, video.height, {video.frame(i).begin(), video.frame(i).end()}}));
    const at::Tensor likeness =
        clip.pictures(at::cat(pixels)).matmul(clip.text(m_expected.at("prompt")).features_D);
    const auto known = expected("clip_cosine");
    for (std::size_t i = 0; i < known.size(); ++i)
        EXPECT_NEAR(likeness[std::int64_t(i)].item<double>(), known[i], 2e-5) << i;
}

TEST_F(PerceptionTest, AClipIsMeasuredByEverythingThatIsAskedFor) {
    writeClipModel();
    writeWeights("dino", weights() / "dino_vitbase16_pretrain.safetensors");
    writeWeights("alex", weights() / "alexnet-owt-7be5be79.safetensors");
    // The heads as they are published: a file of before PyTorch 1.6.
    fs::copy_file(kFixtures / "alex.pth", weights() / "alex.pth");
    writeWeights("squeeze", weights() / "squeezenet1_1-b8a52dc0.safetensors");
    fs::create_directories(weights() / "lpips/weights/v0.1");
    fs::copy_file(kFixtures / "squeeze.pth", weights() / "lpips/weights/v0.1/squeeze.pth");
    const auto perception = Perception::load({Asked::Lpips, Asked::LpipsSqueeze, Asked::Clip,
                                              Asked::SubjectConsistency, Asked::BackgroundConsistency},
                                             weights().string(), {});
    ASSERT_TRUE(perception) << perception.error().message;
    metrics::ClipMetrics measured;
    measured.drift.emplace();
    const Subject subject{clipOf(m_frames, "a.mkv"), clipOf(m_reference, "b.mkv"), m_expected.at("prompt"),
                          metrics::kKeptFrames};
    const auto done = perception->measure(subject, measured);
    ASSERT_TRUE(done) << done.error().message;
    const auto expectSeries = [&](const std::optional<metrics::Series>& series, const char* key,
                                  double tolerance) {
        ASSERT_TRUE(series) << key;
        const auto known = expected(key);
        ASSERT_EQ(series->perFrame.size(), known.size()) << key;
        for (std::size_t i = 0; i < known.size(); ++i)
            EXPECT_NEAR(series->perFrame[i], known[i], tolerance) << key << " " << i;
    };
    expectSeries(measured.drift->lpips, "alex", 1e-5);
    expectSeries(measured.drift->lpipsSqueeze, "squeeze", 1e-5);
    expectSeries(measured.clipScore, "clip_score", 2e-3);
    expectSeries(measured.subjectConsistency, "subject_consistency", 2e-5);
    expectSeries(measured.backgroundConsistency, "background_consistency", 2e-5);
    EXPECT_EQ(measured.measuredWith.at("lpips"),
              "AlexNet: alexnet-owt-7be5be79.safetensors and alex.pth, on lossless frames");
    EXPECT_EQ(measured.measuredWith.at("clip_score"), "clip-vit-base-patch32, on lossless frames");
    EXPECT_EQ(measured.measuredWith.at("subject_consistency"),
              "dino_vitbase16_pretrain.safetensors, on lossless frames");

    // Without a reference, what needs one is absent, not zero.
    metrics::ClipMetrics alone;
    ASSERT_TRUE(perception->measure({subject.frames, {}, subject.prompt, {}}, alone));
    EXPECT_FALSE(alone.drift);
    EXPECT_TRUE(alone.clipScore);
    EXPECT_FALSE(alone.measuredWith.contains("lpips"));
    const auto wordless = perception->measure({subject.frames, {}, {}, {}}, alone);
    ASSERT_FALSE(wordless);
    EXPECT_THAT(wordless.error().message, HasSubstr("--prompt was needed"));
}

TEST_F(PerceptionTest, APromptThatClipHasNoRoomForIsSaidToBeCut) {
    writeClipModel();
    const auto perception = Perception::load({Asked::Clip}, weights().string(), {});
    ASSERT_TRUE(perception) << perception.error().message;
    const fs::path clip = clipOf(m_frames, "a.mkv");
    metrics::ClipMetrics measured;
    const auto remarkOf = [&](const std::string& prompt) {
        return perception->measure({clip, {}, prompt, metrics::kKeptFrames}, measured).value();
    };
    EXPECT_EQ(remarkOf(m_expected.at("prompt")), "");
    std::string longPrompt;
    for (int i = 0; i < 80; ++i) longPrompt += "a ";
    EXPECT_THAT(remarkOf(longPrompt), HasSubstr("clip: the prompt is cut at 77 tokens, this is not seen: a"));
    EXPECT_EQ(measured.measuredWith.at("clip_score"),
              "clip-vit-base-patch32, the prompt cut at 77 tokens, on lossless frames");
    EXPECT_TRUE(perception->isMeasured(measured, false));
}

TEST_F(PerceptionTest, AFolderThatSaysItIsAnotherNetworksIsRefused) {
    writeClipModel();
    const fs::path folder = weights() / "clip-vit-base-patch32", config = folder / "config.json",
                   processor = folder / "preprocessor_config.json";
    const auto write = [](const fs::path& file, const nlohmann::json& json) {
        std::ofstream(file) << json.dump();
    };
    for (const char* key : {"image_processor_type", "feature_extractor_type"}) {
        write(processor, {{key, "SiglipImageProcessor"}});
        EXPECT_THAT(whyNot({Asked::Clip}),
                    AllOf(HasSubstr(processor.string()),
                          HasSubstr(std::string(key) + " is \"SiglipImageProcessor\", this version needs "
                                                       "\"CLIPImageProcessor\"")));
        for (const char* own : {"CLIPImageProcessor", "CLIPImageProcessorFast", "CLIPFeatureExtractor"}) {
            write(processor, {{key, own}});
            EXPECT_EQ(whyNot({Asked::Clip}), "loaded") << own;
        }
    }
    nlohmann::json said = readJsonObject(config).value();
    said["model_type"] = "siglip";
    write(config, said);
    for (const Asked metric : {Asked::Clip, Asked::BackgroundConsistency})
        EXPECT_THAT(whyNot({metric}),
                    AllOf(HasSubstr(config.string()),
                          HasSubstr("model_type is \"siglip\", this version needs \"clip\"")));
}

TEST_F(PerceptionTest, TheLargerClipScoresAsTheReferenceWithItsWeights) {
    writeClipModel("clip-vit-large-patch14");
    const auto perception = Perception::load({Asked::ClipL14}, weights().string(), {});
    ASSERT_TRUE(perception) << perception.error().message;
    metrics::ClipMetrics measured;
    ASSERT_TRUE(perception->measure({clipOf(m_frames, "a.mkv"), {}, m_expected.at("prompt"), {}}, measured));
    ASSERT_TRUE(measured.clipScore);
    const auto known = expected("clip_score");
    ASSERT_EQ(measured.clipScore->perFrame.size(), known.size());
    for (std::size_t i = 0; i < known.size(); ++i)
        EXPECT_NEAR(measured.clipScore->perFrame[i], known[i], 2e-3) << i;
    EXPECT_EQ(measured.measuredWith.at("clip_score"), "clip-vit-large-patch14");
}

TEST_F(PerceptionTest, SourcesAreFoundWithoutLoadingAndKnownByWhatTheyHold) {
    EXPECT_THAT(findSource(Asked::Lpips, weights().string()).error().message,
                HasSubstr("lpips needs weights"));
    writeWeights("alex", weights() / "alexnet-owt-7be5be79.safetensors");
    fs::copy_file(kFixtures / "alex.pth", weights() / "alex.pth");
    const auto fingerprint = [&] {
        return fingerprintOf(findHashedSources({Asked::Lpips}, weights().string()).value());
    };
    EXPECT_EQ(findSource(Asked::Lpips, weights().string())->with,
              "AlexNet: alexnet-owt-7be5be79.safetensors and alex.pth");
    const std::string first = fingerprint();
    EXPECT_EQ(fingerprint(), first);
    // Other weights by the same name are others.
    fs::resize_file(weights() / "alex.pth", fs::file_size(weights() / "alex.pth") - 1);
    EXPECT_NE(fingerprint(), first);
    writeClipModel();
    const auto ofClip = [&] {
        return fingerprintOf(findHashedSources({Asked::Clip}, weights().string()).value());
    };
    const std::string clip = ofClip();
    std::ofstream(weights() / "clip-vit-base-patch32/vocab.json", std::ios::app) << ' ';
    EXPECT_NE(ofClip(), clip) << "words are a part of it";
}

TEST_F(PerceptionTest, FiguresOfOtherWeightsByTheSameNameDontCount) {
    writeWeights("alex", weights() / "alexnet-owt-7be5be79.safetensors");
    writeWeights("alex_heads", weights() / "alex.safetensors");
    const auto load = [&] { return Perception::load({Asked::Lpips}, weights().string(), {}); };
    const auto perception = load();
    ASSERT_TRUE(perception) << perception.error().message;
    metrics::ClipMetrics measured;
    measured.drift.emplace();
    ASSERT_TRUE(perception->measure(
        {clipOf(m_frames, "a.mkv"), clipOf(m_reference, "b.mkv"), {}, metrics::kKeptFrames}, measured));
    EXPECT_EQ(measured.measuredWithSha256.at("lpips").size(), 64U);
    EXPECT_TRUE(perception->isMeasured(measured, true));
    EXPECT_TRUE(load()->isMeasured(measured, true)) << "the same weights, read again";
    metrics::ClipMetrics older = measured;
    older.measuredWithSha256.clear();
    EXPECT_FALSE(perception->isMeasured(older, true)) << "nobody knows of which weights it is";
    auto others = hashedWeights(shapes("alex"));
    others.at("features.3.weight").mul_(1.5);
    weights::writeSafetensors(weights() / "alexnet-owt-7be5be79.safetensors", others).value();
    EXPECT_FALSE(load()->isMeasured(measured, true));
}

TEST_F(PerceptionTest, FilesByTorchHubsNamesAreHeldToTheirDigits) {
    fs::copy_file(kFixtures / "alex.pth", weights() / "alex.pth");
    const std::string digits = sha256OfFile(kFixtures / "alex.pth").value().substr(0, 8);
    const auto whyNotNamed = [&](const std::string& name) {
        fs::copy_file(kFixtures / "alex.pth", weights() / name);
        const std::string why = whyNot({Asked::Lpips});
        fs::remove(weights() / name);
        return why;
    };
    EXPECT_THAT(whyNotNamed("alexnet-owt-7be5be79.pth"),
                AllOf(HasSubstr("alexnet-owt-7be5be79.pth: its SHA-256 begins with " + digits),
                      HasSubstr("7be5be79 as in its name was needed")));
    // Its own digits, a date and no digits: only that the tensors are others is said.
    for (const std::string& name :
         {"alexnet-owt-" + digits + ".pth", std::string("alexnet-20241105.pth"), std::string("alexnet.pth")})
        EXPECT_THAT(whyNotNamed(name), HasSubstr("features.0.weight is missing")) << name;
}

TEST_F(PerceptionTest, HeadsBelowZeroAreRefused) {
    writeWeights("alex", weights() / "alexnet-owt-7be5be79.safetensors");
    auto heads = hashedWeights(shapes("alex_heads"));
    heads.at("lin2.model.1.weight").view(-1)[7] = -0.25;
    weights::writeSafetensors(weights() / "alex.safetensors", heads).value();
    EXPECT_THAT(whyNot({Asked::Lpips}), AllOf(HasSubstr("alex.safetensors"), HasSubstr("lin2.model.1.weight"),
                                              HasSubstr("has the value -0.25, none below 0 was needed")));
}

TEST_F(PerceptionTest, WeightsThatTellNoPicturesApartAreRefused) {
    const fs::path backbone = weights() / "alexnet-owt-7be5be79.safetensors",
                   heads = weights() / "alex.safetensors";
    writeWeights("alex", backbone);
    std::map<std::string, at::Tensor> zeros = hashedWeights(shapes("alex_heads"));
    for (auto& [name, tensor] : zeros) tensor.zero_();
    weights::writeSafetensors(heads, zeros).value();
    EXPECT_THAT(whyNot({Asked::Lpips}),
                AllOf(HasSubstr("lpips: the weights " + backbone.string() + " and " + heads.string()),
                      HasSubstr("give the same for all pictures")));
    writeFilled("alex_heads", heads, "lin0.model.1.weight", 3e38);
    EXPECT_THAT(whyNot({Asked::Lpips}), HasSubstr("give NaN or infinite numbers for made-up pictures"));
    writeWeights("alex_heads", heads);
    // Numbers that fp32 holds, and whose squares it doesn't.
    auto large = hashedWeights(shapes("alex"));
    for (const char* kind : {"weight", "bias"}) large.at(std::string("features.0.") + kind).mul_(1e25);
    weights::writeSafetensors(backbone, large).value();
    EXPECT_THAT(whyNot({Asked::Lpips}), HasSubstr("give NaN or infinite numbers for made-up pictures"));
    const fs::path dino = weights() / "dino_vitbase16_pretrain.safetensors";
    writeFilled("dino", dino, "norm.weight", 0);
    EXPECT_THAT(whyNot({Asked::SubjectConsistency}),
                HasSubstr("subject_consistency: the weights " + dino.string() + " give the same for all"));
}

TEST_F(PerceptionTest, AClipModelThatTellsNothingApartIsRefused) {
    writeClipModel();
    const fs::path folder = weights() / "clip-vit-base-patch32", file = folder / "model.safetensors";
    writeFilled("clip", file, "visual_projection.weight", 0);
    for (const Asked metric : {Asked::Clip, Asked::BackgroundConsistency})
        EXPECT_THAT(whyNot({metric}), HasSubstr(": the weights " + folder.string() +
                                                " give NaN or infinite numbers for made-up pictures"));
    writeFilled("clip", file, "vision_model.embeddings.patch_embedding.weight", 0);
    EXPECT_THAT(whyNot({Asked::Clip}), HasSubstr("give the same for all pictures"));
    writeFilled("clip", file, "text_projection.weight", 0);
    EXPECT_THAT(whyNot({Asked::Clip}), HasSubstr("give NaN or infinite numbers for made-up texts"));
    EXPECT_EQ(whyNot({Asked::BackgroundConsistency}), "loaded") << "which reads no text";
}

TEST_F(PerceptionTest, AFrameWithoutAFiniteNumberFailsNamingTheWeights) {
    // A channel that nothing but white passes, and then with a number whose square fp32 doesn't hold.
    auto backbone = hashedWeights(shapes("alex"));
    backbone.at("features.0.weight").select(0, 0).fill_(1e18);
    backbone.at("features.0.bias").select(0, 0).fill_(-8e20);
    weights::writeSafetensors(weights() / "alexnet-owt-7be5be79.safetensors", backbone).value();
    writeWeights("alex_heads", weights() / "alex.safetensors");
    const auto perception = Perception::load({Asked::Lpips}, weights().string(), {});
    ASSERT_TRUE(perception) << perception.error().message;
    at::Tensor frames = m_frames.clone();
    frames.narrow(0, 2, 1).fill_(255);
    metrics::ClipMetrics measured;
    measured.drift.emplace();
    const auto done = perception->measure(
        {clipOf(frames, "a.mkv"), clipOf(m_reference, "b.mkv"), {}, metrics::kKeptFrames}, measured);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().message,
              "lpips: AlexNet: alexnet-owt-7be5be79.safetensors and alex.safetensors gave NaN for frame 2, a "
              "finite number was needed");
    EXPECT_FALSE(measured.drift->lpips);
}

TEST_F(PerceptionTest, AFolderOfWeightsThatCannotBeReadIsNotCalledEmpty) {
    fs::create_symlink("v0.1", weights() / "v0.1");  // a circle, which root can't read either
    EXPECT_THAT(whyNot({Asked::Lpips}), HasSubstr("v0.1: Too many levels"));
}

TEST_F(PerceptionTest, WhatIsMissingIsNamed) {
    EXPECT_THAT(whyNot({Asked::Lpips}),
                AllOf(HasSubstr("lpips needs weights: torchvision's alexnet-owt-7be5be79.pth"),
                      HasSubstr(weights().string())));
    writeWeights("alex", weights() / "alexnet-owt-7be5be79.safetensors");
    EXPECT_THAT(whyNot({Asked::Lpips}),
                HasSubstr("lpips needs weights: alex.pth of the Python package lpips"));
    EXPECT_THAT(whyNot({Asked::Clip}),
                HasSubstr("clip needs weights: openai/clip-vit-base-patch32; `reelgrid-cli models download "
                          "openai/clip-vit-base-patch32`"));
    EXPECT_THAT(whyNot({Asked::ClipL14}), HasSubstr("openai/clip-vit-large-patch14"));
    EXPECT_THAT(whyNot({Asked::SubjectConsistency}),
                AllOf(HasSubstr("dino_vitbase16_pretrain.pth"), HasSubstr("facebook/dino-vitb16")));
    EXPECT_THAT(Perception::load({Asked::Lpips}, "no/such/folder", {}).error().message,
                HasSubstr("--metric-weights no/such/folder: neither a folder"));
}

TEST_F(PerceptionTest, WeightsOfAnotherNetworkAreRefused) {
    // Heads of one network for the other, a file of other tensors, one that was cut short.
    writeWeights("alex", weights() / "alexnet-owt-7be5be79.safetensors");
    fs::copy_file(kFixtures / "squeeze.pth", weights() / "alex.pth");
    EXPECT_THAT(whyNot({Asked::Lpips}), AllOf(HasSubstr("alex.pth"), HasSubstr("lin1.model.1.weight")));
    writeWeights("clip", weights() / "alexnet-owt-7be5be79.safetensors");
    EXPECT_THAT(whyNot({Asked::Lpips}), HasSubstr("features.0.weight is missing"));
    fs::resize_file(weights() / "alexnet-owt-7be5be79.safetensors", 5000);
    EXPECT_THAT(whyNot({Asked::Lpips}), HasSubstr("alexnet-owt-7be5be79.safetensors"));
    writeWeights("alex", weights() / "dino_vitbase16_pretrain.safetensors");
    EXPECT_THAT(whyNot({Asked::SubjectConsistency}), HasSubstr("is missing, 3 sides were needed"));
}

TEST(MetricModels, NeedConfigurationWeightsAndWords) {
    EXPECT_TRUE(isMetricModel("openai/clip-vit-large-patch14"));
    EXPECT_FALSE(isMetricModel("openai/clip-vit-large-patch14-336"));
    EXPECT_THAT(
        metricModelFiles({"README.md", "config.json", "flax_model.msgpack", "merges.txt", "pytorch_model.bin",
                          "tf_model.h5", "tokenizer.json", "vocab.json"}),
        testing::UnorderedElementsAre("config.json", "merges.txt", "pytorch_model.bin", "vocab.json"));
    EXPECT_THAT(metricModelFiles({"config.json", "model.safetensors", "pytorch_model.bin"}),
                testing::UnorderedElementsAre("config.json", "model.safetensors"));
    EXPECT_THAT(metricModelFiles({"config.json", "README.md"}), testing::IsEmpty());
}

TEST(AskedMetrics, AreKnownByNameAndOnce) {
    EXPECT_THAT(metrics::askedFrom({"lpips", "vmaf"}).value(),
                testing::ElementsAre(Asked::Lpips, Asked::Vmaf));
    const auto said = [](const std::vector<std::string>& names) {
        return metrics::askedFrom(names).error().message;
    };
    EXPECT_THAT(said({"fvd"}), HasSubstr("no metric 'fvd'; there are lpips, lpips_squeeze, clip,"));
    EXPECT_THAT(said({"clip", "clip_l14"}), HasSubstr("clip and clip_l14: one of them"));
    EXPECT_THAT(said({"lpips", "lpips"}), HasSubstr("lpips twice"));
    EXPECT_THAT(said({"dynamic_degree"}), HasSubstr("RAFT"));
    EXPECT_THAT(said({"motion_smoothness"}), HasSubstr("AMT"));
    EXPECT_THAT(said({"temporal_flickering"}), HasSubstr("as flickering"));
    for (const metrics::AskedMetric& metric : metrics::kAskedMetrics)
        EXPECT_EQ(metrics::infoOf(metric.metric).name, std::string(metric.name));
}

}  // namespace
}  // namespace reelgrid::perception
