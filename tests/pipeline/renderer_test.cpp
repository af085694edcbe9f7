#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/pending_file.h"
#include "core/base/sha256.h"
#include "core/pipeline/renderer.h"
#include "core/result/clip_result.h"
#include "core/result/writer_lock.h"
#include "kernels/backends/backend_list.h"
#include "tests/pipeline/tiny_render.h"

namespace reelgrid::pipeline {
namespace {

namespace fs = std::filesystem;

using RendererTest = TinyRenderTest;

TEST_F(RendererTest, LeavesTheClipAndItsCompanions) {
    const auto clip = Renderer().render(tinyRequest(), {}, {});
    ASSERT_TRUE(clip) << clip.error().message;
    for (const char* name : {"clip.mp4", "clip.files/manifest.json", "clip.files/timing.json",
                             "clip.files/metrics.json", "clip.files/latents.safetensors"})
        EXPECT_TRUE(fs::exists(m_folder / name)) << name;
}

TEST_F(RendererTest, TimesAddUpToTheWallClock) {
    auto request = tinyRequest();
    request.numRepetitions = 2;
    ASSERT_TRUE(Renderer().render(request, {}, {}));
    const auto timings = result::readClipResult(request.output).timings;
    ASSERT_EQ(timings.size(), 2U);
    for (const result::Timing& timing : timings) {
        double stages = 0;
        for (const auto& [name, seconds] : timing.stages) stages += seconds;
        EXPECT_NEAR(stages, timing.wallTime.value(), 1e-6);
        ASSERT_EQ(timing.stepParts.size(), timing.steps.size());
        for (std::size_t step = 0; step < timing.steps.size(); ++step) {
            double parts = 0;
            for (const auto& [name, seconds] : timing.stepParts[step]) {
                parts += seconds;
                EXPECT_GT(seconds, 0) << name;
            }
            EXPECT_NEAR(parts, timing.steps[step], 1e-5);
        }
    }
}

TEST_F(RendererTest, StopsWithinOneStepAndLeavesNothing) {
    std::stop_source source;
    int stepsSeen = 0;
    const auto clip = Renderer().render(
        tinyRequest(),
        [&](const protocol::RenderProgress& progress) {
            if (progress.stage != "denoise") return;
            stepsSeen = progress.done;
            if (progress.done == 1) source.request_stop();
        },
        source.get_token());
    ASSERT_FALSE(clip);
    EXPECT_EQ(clip.error().code, ErrorCode::Cancelled);
    EXPECT_EQ(stepsSeen, 1);
    EXPECT_TRUE(fs::is_empty(m_folder));
}

TEST_F(RendererTest, AFailureLeavesNothing) {
    auto request = tinyRequest();
    request.attentionType = "fav9";
    const auto clip = Renderer().render(request, {}, {});
    ASSERT_FALSE(clip);
    EXPECT_EQ(clip.error().code, ErrorCode::BadUsage);
    EXPECT_TRUE(fs::is_empty(m_folder));
}

TEST_F(RendererTest, DecodesInTilesOnRequestAndSaysHowItDid) {
    auto request = tinyRequest();
    request.width = 96;
    request.vaeTilePx = 64;
    Renderer renderer;
    std::map<std::string, result::Manifest> manifests;
    for (const char* tiling : {"auto", "off", "on"}) {
        request.vaeTiling = tiling;
        int last = 0;
        const auto clip = renderer.render(request,
                                          [&](const protocol::RenderProgress& progress) {
                                              if (progress.stage != "decode") return;
                                              EXPECT_GE(progress.done, last);
                                              last = progress.done;
                                          },
                                          {});
        ASSERT_TRUE(clip) << clip.error().message;
        EXPECT_EQ(last, *request.numFrames) << tiling;
        manifests[tiling] = result::readClipResult(*clip).manifest;
    }
    EXPECT_EQ(manifests["auto"].settings->vaeTiling, "off");
    EXPECT_EQ(manifests["auto"].framesSha256, manifests["off"].framesSha256);
    EXPECT_THAT(manifests["auto"].remarks,
                testing::Contains("--vae-tile-px 64 had no effect: the clip was decoded whole"));
    EXPECT_THAT(manifests["on"].remarks, testing::Not(testing::Contains(testing::HasSubstr("tile-px"))));
    EXPECT_EQ(manifests["on"].settings->vaeTiling, "on");
    EXPECT_EQ(manifests["on"].settings->vaeTilePx, 64);
    EXPECT_NE(manifests["on"].framesSha256, manifests["off"].framesSha256);
}

/// A copy of the tiny model whose files can be spoilt.
class SpoiltModelTest : public RendererTest {
  protected:
    fs::path m_model = m_folder / "model";
    protocol::RenderRequest m_request;
    Renderer m_renderer;

    void SetUp() override {
        RendererTest::SetUp();
        m_request = tinyRequest();
        fs::copy(m_request.model, m_model, fs::copy_options::recursive);
        m_request.model = m_model.string();
        m_request.output = (m_folder / "out/clip.mp4").string();
    }

    /// Puts a new file in its place whose tensors have this byte throughout: 0xff are NaNs, 0x7f numbers so
    /// large that whatever is computed with them isn't finite.
    static void spoil(const fs::path& safetensors, char with) {
        std::string bytes = readFile(safetensors).value();
        std::uint64_t header = 0;
        std::memcpy(&header, bytes.data(), sizeof header);
        std::fill(bytes.begin() + std::ptrdiff_t(sizeof header + header), bytes.end(), with);
        writeFile(safetensors, bytes).value();
    }

    [[nodiscard]] fs::path vae() const {
        for (const auto& file : fs::directory_iterator(m_model / "vae"))
            if (file.path().extension() == ".safetensors") return file.path();
        return {};
    }

    /// Every file of the results, with its content.
    [[nodiscard]] std::map<std::string, std::string> results() const {
        std::map<std::string, std::string> contents;
        for (const auto& entry : fs::recursive_directory_iterator(m_folder / "out"))
            if (entry.is_regular_file())
                contents[entry.path().lexically_relative(m_folder / "out")] = readFile(entry.path()).value();
        return contents;
    }
};

TEST_F(SpoiltModelTest, AFailedRenderLeavesTheEarlierResultWhole) {
    ASSERT_TRUE(m_renderer.render(m_request, {}, {}));
    const auto before = results();
    ASSERT_EQ(before.size(), 6U) << "the frames without loss are one of them";
    spoil(vae(), '\x7f');
    m_request.seed = 7;
    const auto clip = m_renderer.render(m_request, {}, {});
    ASSERT_FALSE(clip) << "the model's files changed under the loaded one";
    EXPECT_THAT(clip.error().message, testing::HasSubstr("kept in latents.partial.safetensors"));
    auto after = results();
    for (const char* kept : {"latents.partial.safetensors", "resume.safetensors", "unfinished.json"})
        EXPECT_EQ(after.erase(std::string("clip.files/") + kept), 1U) << "no work is lost";
    EXPECT_EQ(after, before);
}

TEST_F(SpoiltModelTest, NoPictureComesOfWhatIsNotFinite) {
    const fs::path weights = m_model / "transformer/diffusion_pytorch_model.safetensors";
    spoil(weights, '\xff');
    const auto loaded = m_renderer.render(m_request, {}, {});
    ASSERT_FALSE(loaded);
    EXPECT_THAT(loaded.error().message, testing::AllOf(testing::HasSubstr(weights.string() + ": tensor"),
                                                       testing::HasSubstr("has NaN or infinite values")));
    spoil(weights, '\x7f');
    const auto rendered = m_renderer.render(m_request, {}, {});
    ASSERT_FALSE(rendered);
    EXPECT_THAT(rendered.error().message, testing::HasSubstr("step 1 of 3: the latents have NaN"));
}

TEST_F(SpoiltModelTest, TheManifestNamesTheFilesThatTheClipWasMadeWith) {
    const auto hashOf = [&](const char* component) {
        const auto read = result::readClipResult(m_request.output);
        return read.manifest.modelHashes.at(component);
    };
    ASSERT_TRUE(m_renderer.render(m_request, {}, {}));
    const std::string frames = result::readClipResult(m_request.output).manifest.framesSha256;
    const std::string before = hashOf("scheduler");
    auto config = nlohmann::json::parse(readFile(m_model / "scheduler/scheduler_config.json").value());
    config["flow_shift"] = 9.0;
    writeFile(m_model / "scheduler/scheduler_config.json", config.dump()).value();
    ASSERT_TRUE(m_renderer.render(m_request, {}, {}));
    EXPECT_NE(hashOf("scheduler"), before);
    EXPECT_NE(result::readClipResult(m_request.output).manifest.framesSha256, frames) << "loaded again";
}

TEST_F(RendererTest, TiesTheClipToItsManifest) {
    const auto request = tinyRequest();
    ASSERT_TRUE(Renderer().render(request, {}, {}));
    const result::ClipResult read = result::readClipResult(request.output);
    ASSERT_TRUE(read.problems.empty()) << read.problems[0].message;
    EXPECT_EQ(read.manifest.clipSha256, sha256OfFile(request.output).value());
    EXPECT_EQ(read.manifest.settings->numInferenceSteps, 3);
    EXPECT_EQ(read.timing()->steps.size(), 3U);
    EXPECT_EQ(read.metrics.frames, 5);
}

TEST_F(RendererTest, TheSameRequestMakesTheSameBitsWithEveryBackend) {
    Renderer renderer;
    for (const kernels::BackendInfo* backend : kernels::backendsOn(kernels::Device::Cpu)) {
        auto request = tinyRequest();
        request.attentionType = backend->name;
        std::vector<std::string> frames;
        for (int time = 0; time < 2; ++time) {
            ASSERT_TRUE(renderer.render(request, {}, {})) << backend->name;
            frames.push_back(result::readClipResult(request.output).manifest.framesSha256);
        }
        EXPECT_EQ(frames[0], frames[1]) << backend->name;
    }
}

TEST_F(RendererTest, DoesNotWriteWhereAnotherRenderDoes) {
    const auto request = tinyRequest();
    const auto lock = result::WriterLock::acquire(m_folder / "clip.files");
    ASSERT_TRUE(lock) << lock.error().message;
    const auto clip = Renderer().render(request, {}, {});
    ASSERT_FALSE(clip);
    EXPECT_EQ(clip.error().code, ErrorCode::Io);
    EXPECT_THAT(clip.error().message,
                testing::HasSubstr("is being written by process " + std::to_string(getpid())));
    EXPECT_FALSE(fs::exists(request.output));
}

}  // namespace
}  // namespace reelgrid::pipeline
