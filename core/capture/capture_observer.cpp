#include "core/capture/capture_observer.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <utility>

#include "core/base/sha256.h"
#include "core/capture/capture_folder.h"
#include "core/pt/pt_file.h"

namespace reelgrid::capture {
namespace {

namespace fs = std::filesystem;
using attention::Inputs;

constexpr double kGiB = double(std::uint64_t{1} << 30);

std::string gibText(double bytes) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g GiB", bytes / kGiB);
    return text;
}

/// Upstream's six digits, so that names sort as calls do.
std::string numbered(std::int64_t callIndex) {
    char text[32];
    std::snprintf(text, sizeof text, "%06lld", static_cast<long long>(callIndex));
    return text;
}

}  // namespace

CaptureObserver::CaptureObserver(CaptureOptions options)
    : m_options(std::move(options)), m_plan(m_options.extent, m_options.maxCaptures) {
    m_summary.maxCaptures = static_cast<std::int64_t>(m_options.maxCaptures);
}

CaptureObserver::~CaptureObserver() {
    try {
        if (!m_finished && m_taken > 0) static_cast<void>(finish(Render::GivenUp));
    } catch (const std::exception&) {
        // The render has an error of its own to tell.
    }
}

void CaptureObserver::served(const attention::Call& call, const attention::Served& /*served*/) {
    if (!m_running) return;
    const CallPlace place{call.pass.step, call.pass.branch, call.site.layer, call.site.kind};
    const auto callIndex = static_cast<std::int64_t>(m_summary.history.size());
    count(shapeOf(call.inputs));
    fitIntoBudget(place, bytesOf(call.inputs));
    if (m_plan.takes(place)) save(call.inputs, place, callIndex);
}

void CaptureObserver::replayed(const attention::Pass& /*pass*/, const attention::RecordedCall& call) {
    if (m_running) count(call.shape);
}

attention::Replay CaptureObserver::replayOf(const attention::Pass& pass) const {
    return m_running && m_plan.mayTakeFrom(pass.step, pass.branch) ? attention::Replay::Refused
                                                                   : attention::Replay::Allowed;
}

void CaptureObserver::count(const attention::CallShape& shape) {
    auto known = std::ranges::find(m_summary.shapes, shape);
    if (known == m_summary.shapes.end()) known = m_summary.shapes.insert(known, shape);
    m_summary.history.push_back(static_cast<std::uint32_t>(known - m_summary.shapes.begin()));
}

void CaptureObserver::fitIntoBudget(const CallPlace& place, std::uint64_t callBytes) {
    if (m_hasBudget || m_options.maxBytes == 0 || !m_options.extent.contains(place)) return;
    m_hasBudget = true;
    const std::uint64_t fitting = m_options.maxBytes / std::max<std::uint64_t>(callBytes, 1);
    const std::size_t planned = m_plan.planned();
    if (fitting >= planned) return;
    m_why = "--max-capture-gib " + gibText(double(m_options.maxBytes)) + " has room for " +
            std::to_string(fitting) + " of " + std::to_string(planned) + " calls of " +
            gibText(double(callBytes));
    // An empty plan captures nothing (not everything).
    if (fitting == 0) m_options.extent = {};
    m_plan = CapturePlan(m_options.extent, std::max<std::size_t>(fitting, 1));
}

void CaptureObserver::save(const Inputs& inputs, const CallPlace& place, std::int64_t callIndex) {
    const std::uint64_t bytes = bytesOf(inputs);
    if (m_hasFailed || m_writer.outcome().failure) return;
    if (m_options.maxBytes != 0 && m_bytes + bytes > m_options.maxBytes) {
        if (m_why.empty())
            m_why = "--max-capture-gib " + gibText(double(m_options.maxBytes)) + " was reached";
        return;
    }
    try {
        makeRoom();
        m_bytes += bytes;
        ++m_taken;
        m_writer.write({m_options.folder / (fileStem() + "_input_" + numbered(callIndex) + ".pt"),
                        captureOf(inputs, place, callIndex, m_options.source)});
    } catch (const std::exception& failure) {
        m_hasFailed = true;
        m_why = std::string("saving stopped: ") + failure.what();
    }
}

void CaptureObserver::makeRoom() {
    if (std::exchange(m_hasRoom, true)) return;
    // Other ranks' files are of this render, too.
    const bool isAlone = m_options.kind == CaptureOptions::Folder::OfOneClip && m_options.source.ranks == 1;
    removeEarlierCaptures(m_options.folder, isAlone ? std::string() : fileStem());
}

std::string CaptureObserver::fileStem() const {
    const CaptureSource& source = m_options.source;
    return source.kernel + (source.ranks > 1 ? "_rank" + std::to_string(source.rank) : "");
}

protocol::CaptureRecord CaptureObserver::finish() {
    return finish(Render::Finished);
}

protocol::CaptureRecord CaptureObserver::finish(Render render) {
    m_finished = true;
    stop();
    m_writer.finish();
    const CaptureWriter::Outcome outcome = m_writer.outcome();
    if (outcome.failure) m_why = "saving stopped: " + outcome.failure->message;
    const std::size_t planned = m_plan.planned();
    if (m_why.empty() && m_options.maxCaptures != 0 && outcome.files < planned)
        m_why = std::to_string(planned) + " were planned, no more calls of that kind came";
    makeRoom();
    m_summary.saved = static_cast<std::int64_t>(outcome.files);
    m_summary.why = m_why;
    m_summary.renderFinished = render == Render::Finished;

    protocol::CaptureRecord record{.folder = m_options.folder.string(),
                                   .kernel = fileStem(),
                                   .rank = m_options.source.rank,
                                   .saved = outcome.files,
                                   .calls = m_summary.history.size(),
                                   .bytes = outcome.bytes,
                                   .why = m_why,
                                   .metadataSha256 = {}};
    const fs::path metadata = m_options.folder / protocol::captureMetadataFile(fileStem());
    const auto written = pt::writePt(metadata, metadataOf(m_summary, m_options.source));
    const auto hash = written ? sha256OfFile(metadata) : Result<std::string>(written.error());
    if (hash)
        record.metadataSha256 = *hash;
    else if (!outcome.failure)  // which is said already, and is this one's, too
        record.why += (record.why.empty() ? "" : "; ") + hash.error().message;
    return record;
}

}  // namespace reelgrid::capture
