#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "core/attention/call_observer.h"
#include "core/capture/capture_file.h"
#include "core/capture/capture_plan.h"
#include "core/capture/capture_writer.h"
#include "core/protocol/capture_record.h"

namespace reelgrid::capture {

struct CaptureOptions {
    std::filesystem::path folder;  ///< of the files
    /// OfOneClip: earlier captures of any kernel make room. Shared: those of the same kernel alone.
    enum class Folder { OfOneClip, Shared } kind = Folder::Shared;
    CaptureExtent extent;
    std::size_t maxCaptures = 0;  ///< 0: all
    std::uint64_t maxBytes = 0;   ///< of the tensors; 0: no limit
    CaptureSource source;
};

/// Saves what some of the calls were given, and counts all of them. What goes wrong while saving stops the
/// saving, never the render.
class CaptureObserver final : public attention::CallObserver {
  public:
    explicit CaptureObserver(CaptureOptions options);
    /// As finish() of a render that did not get to its end, if it was not called; with nothing saved, nothing
    /// is written.
    ~CaptureObserver() override;

    void served(const attention::Call& call, const attention::Served& served) override;
    void replayed(const attention::Pass& pass, const attention::RecordedCall& call) override;
    /// Refused for a pass with something to save.
    [[nodiscard]] attention::Replay replayOf(const attention::Pass& pass) const override;

    /// Neither saves nor counts from now on: further repetitions are for timing.
    void stop() { m_running = false; }
    /// Waits for the disk, writes the metadata and says what was saved. Its folder is as in the options.
    protocol::CaptureRecord finish();

  private:
    enum class Render { Finished, GivenUp };
    protocol::CaptureRecord finish(Render render);
    void count(const attention::CallShape& shape);
    void save(const attention::Inputs& inputs, const CallPlace& place, std::int64_t callIndex);
    /// Plans fewer captures, spread all the same, when calls of this size would take more than allowed.
    void fitIntoBudget(const CallPlace& place, std::uint64_t callBytes);
    void makeRoom();
    [[nodiscard]] std::string fileStem() const;

    CaptureOptions m_options;
    CapturePlan m_plan;
    CaptureWriter m_writer;
    bool m_running = true;
    bool m_finished = false;
    bool m_hasRoom = false;
    bool m_hasFailed = false;  ///< to copy a call's tensors
    bool m_hasBudget = false;  ///< compared with the first call's size
    std::uint64_t m_bytes = 0;
    std::uint64_t m_taken = 0;
    std::string m_why;
    CaptureSummary m_summary;
};

}  // namespace reelgrid::capture
