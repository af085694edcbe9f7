#include "core/pipeline/resume_file.h"

#include <algorithm>
#include <utility>

#include "core/parallel/shared_tensors.h"
#include "core/protocol/result_paths.h"
#include "core/result/same_denoising.h"
#include "core/result/unfinished_render.h"
#include "core/safetensors/mapped_file.h"
#include "core/safetensors/tensor_hashes.h"
#include "core/weights/safetensors_folder.h"
#include "core/weights/safetensors_writer.h"

namespace reelgrid::pipeline {
namespace {

namespace fs = std::filesystem;

at::Tensor bytesOf(const std::string& text) {
    return at::from_blob(const_cast<char*>(text.data()), {static_cast<std::int64_t>(text.size())}, at::kByte)
        .clone();
}

/// Exact, in memory of its own: the file may be replaced while the loop goes on.
at::Tensor tensorIn(weights::SafetensorsFolder& file, const std::string& name) {
    return file.require(name, *file.shapeOf(name)).clone();
}

}  // namespace

ResumeFile::ResumeFile(const protocol::RenderRequest& request, const catalog::RenderSettings& settings,
                       Keeps keeps, std::function<bool()> ready, std::function<Story()> now)
    : m_request(request),
      m_every(keeps == Keeps::Points ? settings.saveLatentsEvery : 0),
      m_file(protocol::resultFolderOf(request.output) / protocol::kResumeFile),
      m_ready(std::move(ready)),
      m_now(std::move(now)) {}

std::optional<ResumeFile::Story> ResumeFile::readStart(const result::Manifest& now) {
    std::error_code failed;
    if (!fs::exists(m_file, failed)) return std::nullopt;
    const auto mapped = safetensors::MappedFile::open(m_file);
    safetensors::requireUnchanged(mapped->bytes(), m_file.string(), safetensors::Hashes::Needed);
    Story story = result::resumeStoryIn(mapped->bytes(), m_file.string());
    weights::SafetensorsFolder file(m_file);
    denoising::ResumePoint point{.done = story.done, .tensors = {}, .source = m_file.string()};
    const std::string other = result::differenceInDenoising(story.manifest, now);
    if (!other.empty())
        throw Failure(ErrorCode::InvalidData, "--resume: " + m_file.string() +
                                                  " is another render's: " + other +
                                                  "; the same, or a render without --resume, was needed");
    for (const std::string& name : file.names())
        if (name != result::kResumeStory) point.tensors[name] = tensorIn(file, name);
    if (!point.tensors.contains("latents"))
        throw Failure(ErrorCode::InvalidData, m_file.string() + ": a tensor \"latents\" was needed");
    m_start = std::move(point);
    m_kept = story.done;
    return story;
}

void ResumeFile::shareStart(parallel::Communicator& ranks) {
    const int done = std::stoi(ranks.fromFirst(std::to_string(m_start ? m_start->done : 0)));
    if (done == 0) return;
    m_start = {done, 0,
               parallel::sharedFromFirst(ranks, m_start ? m_start->tensors : denoising::NamedTensors())};
}

bool ResumeFile::wants(int done, int steps) const {
    return m_every > 0 && (done / m_every > m_kept / m_every || done == steps) && m_ready();
}

void ResumeFile::keep(const denoising::ResumePoint& point) {
    Story story = m_now();
    story.done = point.done;
    story.steps = point.steps;
    auto tensors = point.tensors;
    tensors[result::kResumeStory] = bytesOf(result::textOf(story));
    weights::writeHashedSafetensors(m_file, tensors).value();
    result::writeUnfinished(m_request.output, {point.done, point.steps, m_request}).value();
    m_kept = point.done;
}

std::vector<protocol::CallRecord> joined(const std::vector<protocol::CallRecord>& earlier,
                                         std::vector<protocol::CallRecord> now) {
    std::vector<protocol::CallRecord> all = earlier;
    for (protocol::CallRecord& call : now) {
        const auto same = std::ranges::find_if(all, [&](const protocol::CallRecord& other) {
            return other.kind == call.kind && other.requested == call.requested && other.used == call.used &&
                   other.why == call.why;
        });
        if (same == all.end()) {
            all.push_back(std::move(call));
            continue;
        }
        same->calls += call.calls;
        if (same->seconds && call.seconds)
            *same->seconds += *call.seconds;
        else
            same->seconds.reset();
    }
    return all;
}

}  // namespace reelgrid::pipeline
