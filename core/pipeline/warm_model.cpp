#include "core/pipeline/warm_model.h"

#include <utility>

#include "core/base/result.h"

namespace reelgrid::pipeline {

bool WarmModel::isFor(const RenderPlan& plan) const {
    return m_source == plan.model.source() && m_choices == plan.loadChoices() &&
           m_execution == plan.execution;
}

std::optional<MemoryChoice> WarmModel::present(const RenderPlan& plan) const {
    if (!m_video || m_source != plan.model.source()) return std::nullopt;
    return MemoryChoice{m_choices.offload, m_choices.encoders};
}

const std::map<std::string, std::string>& WarmModel::hashes() {
    if (const auto underWay = std::move(m_hashing)) m_hashes = underWay->wait().value();
    return m_hashes;
}

void WarmModel::requireUnchanged(const RenderPlan& plan) {
    static_cast<void>(hashes());
    for (const families::ComponentInfo& component : plan.model.components)
        if (const auto file = m_hasher.writtenOver(component.files); !file.empty())
            throw Failure(ErrorCode::InvalidData, file.string() +
                                                      ": it was written over, or cut short, while the clip "
                                                      "was rendered, whose picture may be of "
                                                      "both contents: a file that stays as it is was needed");
}

denoising::VideoModel& WarmModel::use(const RenderPlan& plan, denoising::StageClock& clock) {
    if (m_video && isFor(plan) && hashes() == modelHashes(plan.model, plan.settings, m_hasher).value())
        return *m_video;
    m_hashing.reset();
    m_video.reset();
    clock.begin("load", 1);
    m_source = plan.model.source();
    m_choices = plan.loadChoices();
    m_execution = plan.execution;
    m_hashes.clear();
    m_hashing = std::make_unique<result::HashesUnderWay>(plan.model, plan.settings, m_hasher);
    m_video = loadModel(plan.model, m_choices, plan.execution);
    // A GPU's steps leave the processor free for it.
    if (plan.execution.device.is_cpu()) static_cast<void>(hashes());
    clock.end();
    return *m_video;
}

}  // namespace reelgrid::pipeline
