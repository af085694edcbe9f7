#include "core/catalog/idle_fields.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/number_text.h"
#include "core/catalog/denoising_steps.h"
#include "core/protocol/attention_name.h"
#include "core/protocol/backend_option.h"

namespace reelgrid::catalog {
namespace {

/// The reason that is given for a field; keeps those of fields that were asked for.
class IdleFields {
  public:
    explicit IdleFields(const protocol::RenderRequest& request) {
        const protocol::RenderRequest usual;
        protocol::forEachRenderField([&](const protocol::RenderField& field, auto access) {
            if (access(request) != access(usual)) m_asked.insert(field.key);
        });
    }
    void add(std::initializer_list<const char*> keys, const std::string& why) {
        for (const char* key : keys)
            if (m_asked.contains(key)) m_found.push_back({key, why});
    }
    std::vector<IdleField> found() && { return std::move(m_found); }

  private:
    std::set<std::string> m_asked;
    std::vector<IdleField> m_found;
};

/// Whether the sampler that the render has walks from σmax by itself, without a shift.
bool isRcm(const RenderSettings& settings, const families::ModelInfo& model) {
    if (settings.scheduler) return settings.scheduler->starts_with("rcm");
    const std::string name = storedSampler(model);
    return name == "RCMScheduler" || name == "RCMOdeScheduler";
}

/// Why a step cache that was asked for skips no pass; empty: it may skip some, or there is none.
std::string whyCacheIsIdle(const protocol::StepCache& cache) {
    if (cache.method == protocol::StepCache::Method::TaylorSeer && cache.interval == 1)
        return textOf(cache) + " computes every step";
    if (cache.needsCurve() && cache.threshold == 0)
        return "a threshold of 0, " + textOf(cache) + ", skips nothing";
    return {};
}

std::set<std::string> backendsOf(const RenderSettings& settings, const std::vector<std::string>& further) {
    std::set<std::string> all{settings.attentionType};
    all.insert(further.begin(), further.end());
    all.insert(settings.lockstep.begin(), settings.lockstep.end());
    for (const auto& rule : settings.attentionPolicy.rules) all.insert(rule.backend);
    return all;
}

}  // namespace

std::vector<IdleField> idleFields(const protocol::RenderRequest& request, const RenderSettings& settings,
                                  const families::ModelInfo& model,
                                  const std::vector<std::string>& backends) {
    IdleFields idle(request);
    if (model.takes("guidance_scale") && !(settings.guidanceScale > 1))
        idle.add({"negative_prompt", "negative_prompt_2", "negative_prompt_3", "use_dynamic_cfg"},
                 "a guidance of " + significant(settings.guidanceScale, 3) + " is none, only one above 1 is");
    if (settings.maxGuidanceScale && !(*settings.maxGuidanceScale > 1))
        idle.add({"min_guidance_scale"}, "a largest guidance of " +
                                             significant(*settings.maxGuidanceScale, 3) +
                                             " is none, only one above 1 is");
    if (settings.flowShift && isRcm(settings, model))
        idle.add({"flow_shift"}, "rcm and rcm-ode have none, they start from --sigma-max");
    if (request.vaeTiling == protocol::kTilingOff) idle.add({"vae_tile_px"}, "--vae-tiling is off");
    if (!settings.chainFrom) idle.add({"chain_alpha"}, "nothing is gone on from without --chain-from");
    if (settings.chainFrom && settings.chainAlpha == 0)
        idle.add({"chain_from"}, "a --chain-alpha of 0 holds the first frame to it for no step");
    if (settings.skipGuidanceLayers.empty())
        idle.add({"skip_layer_guidance_scale", "skip_layer_guidance_start", "skip_layer_guidance_stop"},
                 "no layers are skipped without --skip-guidance-layers");
    else if (settings.skipLayerGuidanceStart >= settings.skipLayerGuidanceStop)
        idle.add({"skip_guidance_layers"}, "it stops before it starts");
    // All frames see each other at once, up to as many as any motion adapter's.
    if (!settings.contextFrames && !settings.loop && settings.numFrames <= model.defaults.numFrames)
        idle.add({"context_stride", "context_weights", "context_noise"},
                 std::to_string(settings.numFrames) + " frames are seen at once, without windows");
    if (settings.framesTogether >= settings.numFrames)
        idle.add({"frames_together"},
                 "all " + std::to_string(settings.numFrames) + " frames go through at once");
    if (const std::string why = whyCacheIsIdle(settings.stepCache); !why.empty())
        idle.add({"step_cache"}, why);
    const std::set<std::string> asked = backendsOf(settings, backends);
    if (asked.contains(protocol::kDefaultBackend)) return std::move(idle).found();
    if (std::ranges::none_of(asked, protocol::isSparse))
        idle.add({"sla_topk"}, "no sparse-linear attention was asked for");
    // The settings have left such options out already.
    for (const auto& choice : protocol::choicesIn(request.backendOption))
        if (!asked.contains(choice.backend))
            idle.add({"backend_option"}, choice.backend + " wasn't asked for");
    return std::move(idle).found();
}

}  // namespace reelgrid::catalog
