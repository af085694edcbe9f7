#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/attention/make_dispatcher.h"
#include "core/base/pending_file.h"
#include "core/catalog/model_catalog.h"
#include "core/catalog/render_settings.h"
#include "core/lockstep/lockstep_observer.h"
#include "core/machine/local_machine.h"
#include "core/pipeline/family_registry.h"
#include "core/pipeline/renderer.h"
#include "core/result/clip_result.h"
#include "tests/pipeline/tiny_render.h"

namespace reelgrid::pipeline {
namespace {

using metrics::LockstepBackend;
using metrics::LockstepMap;
using nlohmann::json;

/// Keeps what every call of a pass got and gave.
class CallRecorder final : public attention::CallObserver {
  public:
    struct Kept {
        attention::CallSite site;
        attention::Pass pass;
        attention::Inputs inputs;
        at::Tensor out_BHND;
    };
    void served(const attention::Call& call, const attention::Served& served) override {
        Kept kept{call.site, call.pass, call.inputs, served.out_BHND.clone()};
        for (at::Tensor* x : {&kept.inputs.q_BHND, &kept.inputs.k_BHMD, &kept.inputs.v_BHMD}) *x = x->clone();
        calls.push_back(std::move(kept));
    }
    void replayed(const attention::Pass&, const attention::RecordedCall&) override {}

    std::vector<Kept> calls;
};

/// Keeps each step's prediction by the reference, and by another backend on the same latents.
class PredictionRecorder final : public denoising::StepObserver {
  public:
    explicit PredictionRecorder(std::string backend) : m_backend(std::move(backend)) {}
    void predicted(int, const at::Tensor& latents, Prediction predict) override {
        steps.push_back({latents.clone(), std::move(predict), {}, {}});
    }
    void denoised(const at::Tensor& latents) override {
        last = latents.clone();
        for (Step& step : steps) {
            const auto sdpa = attention::makeDispatcher("sdpa").value();
            const auto other = attention::makeDispatcher(m_backend).value();
            step.reference = step.predict(*sdpa);
            step.other = step.predict(*other);
        }
    }
    struct Step {
        at::Tensor latents;
        Prediction predict;
        at::Tensor reference, other;
    };
    std::vector<Step> steps;
    at::Tensor last;

  private:
    std::string m_backend;
};

/// The three measures as they are defined, on everything joined together.
void expectErrors(const metrics::OutputErrors& errors, std::size_t index, std::vector<at::Tensor> reference,
                  std::vector<at::Tensor> other) {
    for (auto* list : {&reference, &other})
        for (at::Tensor& each : *list) each = each.contiguous().flatten().to(at::kDouble);
    const at::Tensor a = at::cat(reference), b = at::cat(other);
    EXPECT_NEAR(errors.cosine[index], (a.dot(b) / a.norm() / b.norm()).item<double>(), 1e-8);
    EXPECT_NEAR(errors.relativeL1[index], ((a - b).abs().sum() / a.abs().sum()).item<double>(), 1e-8);
    EXPECT_NEAR(errors.rmse[index], (a - b).square().mean().sqrt().item<double>(), 1e-8);
}

class LockstepRenderTest : public TinyRenderTest {
  protected:
    /// 2 layers, 3 steps, with guidance.
    [[nodiscard]] protocol::RenderRequest guided(std::vector<std::string> lockstep) const {
        protocol::RenderRequest request = tinyRequest();
        request.guidanceScale = 5.0;
        request.device = "cpu";
        request.dtype = "fp32";
        request.lockstep = std::move(lockstep);
        return request;
    }
    [[nodiscard]] json manifestAfter(const protocol::RenderRequest& request) const {
        const auto clip = Renderer().render(request, {}, {});
        EXPECT_TRUE(clip) << clip.error().message;
        return json::parse(readFile(m_folder / "clip.files/manifest.json").value());
    }
};

TEST_F(LockstepRenderTest, MapsEqualAStraightforwardRecomputation) {
    const c10::InferenceMode inference;
    const auto request = guided({"sagev1", "fav2"});
    const auto model = catalog::findModel(request).value();
    const auto settings = catalog::resolveSettings(request, model, machine::LocalMachine().now()).value();
    const auto video = loadModel(model, {.dtype = settings.dtype, .vaeDtype = settings.vaeDtype}, {});

    denoising::StageClock clock({}, {});
    const auto sdpa = attention::makeDispatcher("sdpa").value();
    lockstep::LockstepObserver observer(settings.lockstep, 2, 3, {}, clock);
    const at::Tensor latents = denoising::denoise(*video, settings, *sdpa, clock, {.observers = {&observer}});
    const LockstepMap& map = observer.map();

    // The same render again, its calls and predictions kept.
    CallRecorder recorder;
    const auto observed = attention::makeDispatcher("sdpa").value();
    observed->observe(recorder);
    PredictionRecorder predictions("sagev1");
    EXPECT_TRUE(at::equal(
        denoising::denoise(*video, settings, *observed, clock, {.observers = {&predictions}}), latents));

    const LockstepBackend* sage = map.find("sagev1");
    ASSERT_NE(sage, nullptr);
    const auto other = attention::makeDispatcher("sagev1").value();
    for (int step = 0; step < 3; ++step) {
        for (int layer = 0; layer < 2; ++layer) {
            std::vector<at::Tensor> expected, found;
            for (const auto& call : recorder.calls) {
                if (call.site.kind != attention::ModuleKind::Self || call.site.layer != layer ||
                    call.pass.step != step)
                    continue;
                expected.push_back(call.out_BHND);
                found.push_back(other->attend(call.inputs, call.site));
            }
            ASSERT_EQ(expected.size(), 2u) << "both branches";
            expectErrors(sage->attention, map.site(layer, step), expected, found);
            EXPECT_GT(sage->attention.relativeL1[map.site(layer, step)], 1e-5);
            EXPECT_LT(map.find("fav2")->attention.relativeL1[map.site(layer, step)], 1e-5);
        }
        const auto& own = predictions.steps[std::size_t(step)];
        expectErrors(sage->flow, std::size_t(step), {own.reference}, {own.other});
        const at::Tensor next =
            step < 2 ? predictions.steps[std::size_t(step) + 1].latents : predictions.last;
        EXPECT_NEAR(map.stepSize[std::size_t(step)],
                    ((next - own.latents).norm() / own.reference.norm()).item<double>(), 1e-6);
    }
    EXPECT_EQ(sage->seconds.size(), 6u);
    EXPECT_EQ(map.seconds.size(), 6u);
    for (const double seconds : map.seconds) EXPECT_GT(seconds, 0);
}

TEST_F(LockstepRenderTest, ThePictureItsTimesAndItsCallsAreThoseOfARenderWithoutIt) {
    const json plain = manifestAfter(guided({}));
    const json measured = manifestAfter(guided({"fav2", "sagev1"}));
    EXPECT_EQ(measured["frames_sha256"], plain["frames_sha256"]);
    ASSERT_EQ(measured["attention"].size(), plain["attention"].size());
    for (std::size_t i = 0; i < plain["attention"].size(); ++i)
        EXPECT_EQ(measured["attention"][i]["calls"], plain["attention"][i]["calls"]);

    const result::ClipResult result = result::readClipResult(m_folder / "clip.mp4");
    ASSERT_TRUE(result.problems.empty()) << result.problems.front().message;
    ASSERT_TRUE(result.metrics.lockstep);
    EXPECT_EQ(result.metrics.lockstep->layers, 2);
    EXPECT_EQ(result.metrics.lockstep->steps, 3);
    EXPECT_EQ(result.metrics.lockstep->backends.size(), 2u);
    EXPECT_TRUE(result.timing()->stage("lockstep"));
    EXPECT_EQ(result.timing()->steps.size(), 3u);
}

TEST_F(LockstepRenderTest, ABackendThatCannotRunLeavesItsCellsEmptyAndSaysWhy) {
    ASSERT_TRUE(Renderer().render(guided({"cudnn"}), {}, {}));
    const auto map = result::readClipResult(m_folder / "clip.mp4").metrics.lockstep;
    ASSERT_TRUE(map);
    const LockstepBackend* backend = map->find("cudnn");
    ASSERT_NE(backend, nullptr);
    for (const double value : backend->attention.cosine) EXPECT_TRUE(std::isnan(value));
    for (const double value : backend->flow.rmse) EXPECT_TRUE(std::isnan(value));
    EXPECT_THAT(backend->why, testing::HasSubstr("GPU"));
}

TEST_F(LockstepRenderTest, IsRefusedWhereItWouldNotMeasureWhatItSays) {
    const auto refusal = [&](const protocol::RenderRequest& request) {
        const auto clip = Renderer().render(request, {}, {});
        if (clip) return std::string("rendered");
        EXPECT_EQ(clip.error().code, ErrorCode::BadUsage);
        return clip.error().message;
    };
    EXPECT_THAT(refusal(guided({"fav9"})), testing::HasSubstr("--lockstep fav9: one of"));
    EXPECT_THAT(refusal(guided({"sdpa"})), testing::HasSubstr("--lockstep sdpa"));
    EXPECT_THAT(refusal(guided({"fav2", "fav2"})), testing::HasSubstr("fav2 twice"));
    auto other = guided({"fav2"});
    other.attentionType = "sagev1";
    EXPECT_THAT(refusal(other), testing::HasSubstr("sdpa throughout, not sagev1"));
}

TEST_F(LockstepRenderTest, StopsWithinAStep) {
    std::stop_source stop;
    const auto progress = [&](const protocol::RenderProgress& now) {
        if (now.stage == "lockstep" && now.done == 2) stop.request_stop();
    };
    const auto clip = Renderer().render(guided({"fav2"}), progress, stop.get_token());
    ASSERT_FALSE(clip);
    EXPECT_EQ(clip.error().code, ErrorCode::Cancelled);
    EXPECT_FALSE(std::filesystem::exists(m_folder / "clip.mp4"));
}

}  // namespace
}  // namespace reelgrid::pipeline
