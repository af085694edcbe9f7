#include "core/catalog/idle_fields.h"

#include <gmock/gmock.h>

#include <functional>

#include "core/protocol/render_request.h"
#include "tests/machine/machines.h"

namespace reelgrid::catalog {
namespace {

using protocol::RenderRequest;
using testing::ElementsAre;
using testing::IsEmpty;

/// A model that takes whatever these tests ask for.
families::ModelInfo takingAll() {
    families::ModelInfo model;
    model.tasks = {{.name = "t2v"}};
    model.sizes.sizeMultiple = 16;
    model.frames = {.stride = 1, .first = 1, .most = 100};
    protocol::forEachRenderField(
        [&](const protocol::RenderField& field, auto) { model.extraFields.emplace_back(field.key); });
    model.schedulers = {"unipc", "rcm"};
    model.defaults.task = "t2v";
    model.defaults.fps = 16;
    model.defaults.numInferenceSteps = 4;
    model.defaults.guidanceScale = 5;
    model.defaults.width = 64;
    model.defaults.height = 64;
    model.defaults.numFrames = 16;
    model.layers = 8;
    return model;
}

std::vector<std::string> idle(const std::function<void(RenderRequest&)>& ask,
                              const std::vector<std::string>& backends = {}) {
    RenderRequest request;
    request.prompt = "a red car";
    request.device = "cpu";
    ask(request);
    const auto settings = resolveSettings(request, takingAll(), machine::withoutGpu());
    if (!settings) return {settings.error().message};
    std::vector<std::string> keys;
    for (const IdleField& field : idleFields(request, *settings, takingAll(), backends))
        keys.push_back(field.key);
    return keys;
}

TEST(IdleFields, AStepCacheThatSkipsNothingIsOne) {
    const auto cached = [](const char* text) {
        return [text](RenderRequest& ask) {
            ask.stepCache = protocol::stepCacheFrom(text).value();
            if (ask.stepCache.needsCurve()) ask.stepCache.curve = {1, 0.5, 0.5, 0.5};
        };
    };
    for (const char* text : {"taylorseer:1", "taylorseer:1:2", "teacache:0", "magcache:0"})
        EXPECT_THAT(idle(cached(text)), ElementsAre("step_cache")) << text;
    for (const char* text : {"taylorseer", "taylorseer:2", "teacache", "magcache:0.1", "0.3", "0"})
        EXPECT_THAT(idle(cached(text)), IsEmpty()) << text;
    RenderRequest request;
    request.device = "cpu";
    request.stepCache = protocol::stepCacheFrom("taylorseer:1").value();
    const auto settings = resolveSettings(request, takingAll(), machine::withoutGpu()).value();
    EXPECT_THAT(idleFields(request, settings, takingAll()),
                ElementsAre(IdleField{"step_cache", "taylorseer:1 computes every step"}));
}

TEST(IdleFields, AreThoseThatAnotherSettingLeavesWithoutAnEffect) {
    EXPECT_THAT(idle([](RenderRequest&) {}), IsEmpty());
    const auto steered = [](double scale) {
        return [scale](RenderRequest& ask) {
            ask.negativePrompt = "blurred";
            ask.guidanceScale = scale;
        };
    };
    EXPECT_THAT(idle(steered(1)), ElementsAre("negative_prompt"));
    EXPECT_THAT(idle(steered(1.5)), IsEmpty());
    const auto shifted = [](const char* scheduler) {
        return [scheduler](RenderRequest& ask) {
            ask.scheduler = scheduler;
            ask.flowShift = 5;
        };
    };
    EXPECT_THAT(idle(shifted("rcm")), ElementsAre("flow_shift"));
    EXPECT_THAT(idle(shifted("unipc")), IsEmpty());
    EXPECT_THAT(idle([](RenderRequest& ask) {
                    ask.vaeTiling = protocol::kTilingOff;
                    ask.vaeTilePx = 128;
                }),
                ElementsAre("vae_tile_px"));
    EXPECT_THAT(idle([](RenderRequest& ask) { ask.skipLayerGuidanceScale = 1; }),
                ElementsAre("skip_layer_guidance_scale"));
    EXPECT_THAT(idle([](RenderRequest& ask) { ask.chainAlpha = 0.5; }), ElementsAre("chain_alpha"));
    const auto chained = [](double alpha) {
        return [alpha](RenderRequest& ask) {
            ask.chainFrom = "/first.safetensors";
            ask.chainAlpha = alpha;
        };
    };
    EXPECT_THAT(idle(chained(0)), ElementsAre("chain_from"));
    EXPECT_THAT(idle(chained(0.5)), IsEmpty());
}

TEST(IdleFields, OfFramesAreIdleWhereThereAreTooFew) {
    const auto clip = [](int frames) {
        return [frames](RenderRequest& ask) {
            ask.numFrames = frames;
            ask.framesTogether = 8;
        };
    };
    EXPECT_THAT(idle(clip(9)), IsEmpty());
    EXPECT_THAT(idle(clip(8)), ElementsAre("frames_together"));
}

TEST(IdleFields, OfWindowsAreIdleInShortClipsAlone) {
    const auto windows = [](int frames, bool loop) {
        return [=](RenderRequest& ask) {
            ask.numFrames = frames;
            ask.loop = loop;
            ask.contextStride = 2;
        };
    };
    EXPECT_THAT(idle(windows(8, false)), ElementsAre("context_stride"));
    EXPECT_THAT(idle(windows(8, true)), IsEmpty());
    EXPECT_THAT(idle(windows(40, false)), IsEmpty());
}

TEST(IdleFields, OfABackendAreIdleWhereNobodyAsksForIt) {
    const auto kept = [](const char* backend) {
        return [backend](RenderRequest& ask) {
            ask.attentionType = backend;
            ask.slaTopk = 0.2;
        };
    };
    EXPECT_THAT(idle(kept("sdpa")), ElementsAre("sla_topk"));
    EXPECT_THAT(idle(kept("sla")), IsEmpty());
    EXPECT_THAT(idle(kept("sdpa"), {"fav2", "sla"}), IsEmpty());
    // It may stand for any of them.
    EXPECT_THAT(idle(kept("default")), IsEmpty());
    EXPECT_THAT(idle([](RenderRequest& ask) { ask.backendOption = {"sta.window=3,3,3"}; }),
                ElementsAre("backend_option"));
}

}  // namespace
}  // namespace reelgrid::catalog
