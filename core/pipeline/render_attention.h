#pragma once

#include <memory>
#include <optional>

#include "core/attention/dispatcher.h"
#include "core/capture/capture_observer.h"
#include "core/pipeline/call_map_observer.h"
#include "core/pipeline/render_plan.h"

namespace reelgrid::pipeline {

/// Throws Failure for options that a backend hasn't.
attention::CallSettings callSettingsOf(const RenderPlan& plan);

/// The dispatcher of a render's attention, with what notes and saves its calls.
class RenderAttention {
  public:
    /// Throws Failure for a policy or captures that the model can't have.
    explicit RenderAttention(const RenderPlan& plan);
    RenderAttention(const RenderAttention&) = delete;
    RenderAttention& operator=(const RenderAttention&) = delete;

    [[nodiscard]] attention::Dispatcher& dispatcher() { return *m_dispatcher; }
    [[nodiscard]] const attention::Dispatcher& dispatcher() const { return *m_dispatcher; }
    [[nodiscard]] CallMapObserver& calls() { return m_calls; }

    /// The first repetition has ended: the same calls come again in further ones, and aren't saved.
    void endFirst();
    /// What was saved; nullopt where nothing was to be. Once.
    [[nodiscard]] std::optional<protocol::CaptureRecord> finishCaptures(const RenderPlan& plan);

  private:
    CallMapObserver m_calls;
    std::optional<capture::CaptureObserver> m_captures;  ///< absent: nothing is saved
    std::unique_ptr<attention::Dispatcher> m_dispatcher;
};

}  // namespace reelgrid::pipeline
