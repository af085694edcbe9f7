#pragma once

#include <memory>
#include <optional>

#include "core/attention/dispatcher.h"
#include "core/capture/capturing_dispatcher.h"
#include "core/pipeline/call_map_dispatcher.h"
#include "core/pipeline/render_plan.h"

namespace reelgrid::pipeline {

/// The dispatcher of a render's attention, with what notes and saves its calls around it.
class RenderAttention {
  public:
    /// Throws Failure for a policy or captures that the model can't have.
    explicit RenderAttention(const RenderPlan& plan);

    [[nodiscard]] attention::Dispatcher& dispatcher() { return *m_dispatcher; }
    [[nodiscard]] const attention::Dispatcher& dispatcher() const { return *m_dispatcher; }
    [[nodiscard]] CallMapDispatcher& calls() { return *m_calls; }

    /// The first repetition has ended: the same calls come again in further ones, and aren't saved.
    void endFirst();
    /// What was saved; nullopt where nothing was to be. Once.
    [[nodiscard]] std::optional<protocol::CaptureRecord> finishCaptures(const RenderPlan& plan);

  private:
    std::unique_ptr<attention::Dispatcher> m_dispatcher;  ///< the outermost, which owns the others
    CallMapDispatcher* m_calls;
    capture::CapturingDispatcher* m_captures = nullptr;  ///< null: nothing is saved
};

}  // namespace reelgrid::pipeline
