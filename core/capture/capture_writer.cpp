#include "core/capture/capture_writer.h"

#include <exception>
#include <system_error>
#include <utility>

#include "core/pt/pt_file.h"

namespace reelgrid::capture {
namespace {

/// What writing threw, too: a thread may not.
Result<void> written(const CaptureWriter::Job& job) {
    try {
        return pt::writePt(job.file, job.value);
    } catch (const std::exception& failure) {
        return Error{ErrorCode::Io, "writing " + job.file.string() + ": " + failure.what()};
    }
}

}  // namespace

CaptureWriter::CaptureWriter() : m_thread([this](std::stop_token stop) { run(std::move(stop)); }) {}

CaptureWriter::~CaptureWriter() {
    finish();
}

void CaptureWriter::write(Job job) {
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [this] { return m_waiting.size() < kMostWaiting; });
    if (m_outcome.failure) return;
    m_waiting.push_back(std::move(job));
    m_changed.notify_all();
}

void CaptureWriter::finish() {
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [this] { return m_waiting.empty() && !m_writing; });
}

CaptureWriter::Outcome CaptureWriter::outcome() const {
    const std::lock_guard lock(m_mutex);
    return m_outcome;
}

void CaptureWriter::run(std::stop_token stop) {
    std::unique_lock lock(m_mutex);
    while (m_changed.wait(lock, stop, [this] { return !m_waiting.empty(); })) {
        std::optional<Job> job = std::move(m_waiting.front());
        m_waiting.pop_front();
        const bool tries = !m_outcome.failure;
        m_writing = true;
        m_changed.notify_all();
        lock.unlock();
        const Result<void> done = tries ? written(*job) : Result<void>();
        std::error_code failed;
        const std::uint64_t bytes = tries && done ? std::filesystem::file_size(job->file, failed) : 0;
        job.reset();  // its tensors' memory goes before the next one is taken
        lock.lock();
        if (tries && done) {
            ++m_outcome.files;
            m_outcome.bytes += failed ? 0 : bytes;
        } else if (tries) {
            m_outcome.failure = done.error();
        }
        m_writing = false;
        m_changed.notify_all();
    }
}

}  // namespace reelgrid::capture
