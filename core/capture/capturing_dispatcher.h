#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/attention/dispatcher.h"
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

/// Saves what some of the calls are given on their way to another dispatcher, and counts all of them. What
/// goes wrong while saving stops the saving, never the render.
class CapturingDispatcher final : public attention::Dispatcher {
  public:
    CapturingDispatcher(std::unique_ptr<attention::Dispatcher> inner, CaptureOptions options);
    /// As finish() of a render that did not get to its end, if it was not called; with nothing saved, nothing
    /// is written.
    ~CapturingDispatcher() override;

    at::Tensor attend(const attention::Inputs& inputs, const attention::CallSite& site) override;
    void beginPass(int step, attention::GuidanceBranch branch) override;
    void endPasses() override { m_inner->endPasses(); }
    [[nodiscard]] std::vector<attention::CallRecord> records() const override { return m_inner->records(); }

    /// A pass with something to save must be called; in others what was recorded calls with the shapes that
    /// it was recorded with.
    [[nodiscard]] attention::Replay replayOfPass() const override;
    [[nodiscard]] std::string choicesOfPass(int layers) const override;
    std::vector<attention::CallRecord> takeBackSince(
        const std::vector<attention::CallRecord>& earlier) override;
    void countAgain(const std::vector<attention::CallRecord>& calls) override;

    /// Neither saves nor counts from now on: further repetitions are for timing.
    void stop() { m_running = false; }
    /// Waits for the disk, writes the metadata and says what was saved. Its folder is as in the options.
    protocol::CaptureRecord finish();

  private:
    enum class Render { Finished, GivenUp };
    protocol::CaptureRecord finish(Render render);
    void count(const attention::Inputs& inputs);
    void save(const attention::Inputs& inputs, const CallPlace& place, std::int64_t callIndex);
    /// Plans fewer captures, spread all the same, when calls of this size would take more than allowed.
    void fitIntoBudget(const CallPlace& place, std::uint64_t callBytes);
    void makeRoom();
    [[nodiscard]] std::string fileStem() const;

    std::unique_ptr<attention::Dispatcher> m_inner;
    CaptureOptions m_options;
    CapturePlan m_plan;
    CaptureWriter m_writer;
    attention::Pass m_pass;
    bool m_running = true;
    bool m_finished = false;
    bool m_hasRoom = false;
    bool m_hasFailed = false;  ///< to copy a call's tensors
    bool m_hasBudget = false;  ///< compared with the first call's size
    std::uint64_t m_bytes = 0;
    std::uint64_t m_taken = 0;
    std::string m_why;
    CaptureSummary m_summary;
    /// Calls of the last recorded pass of each branch, as in CaptureSummary::history: branches differ in
    /// text.
    std::map<attention::GuidanceBranch, std::vector<std::uint32_t>> m_recorded;
};

}  // namespace reelgrid::capture
