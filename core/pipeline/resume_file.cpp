#include "core/pipeline/resume_file.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/json.h"
#include "core/parallel/shared_tensors.h"
#include "core/protocol/field_reader.h"
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
using nlohmann::json;

/// The story is JSON in a tensor of bytes, so that it changes with the latents or not at all.
constexpr const char* kStory = "story";
constexpr std::int64_t kMostStoryBytes = std::int64_t{32} << 20;

at::Tensor bytesOf(const std::string& text) {
    return at::from_blob(const_cast<char*>(text.data()), {static_cast<std::int64_t>(text.size())}, at::kByte)
        .clone();
}

std::string storyText(const ResumeFile::Story& story) {
    return printJson({{"done", story.done},
                      {"manifest", result::toJson(story.manifest)},
                      {"timing", result::toJson(std::vector{story.timing})}});
}

/// Exact, in memory of its own: the file may be replaced while the loop goes on.
at::Tensor tensorIn(weights::SafetensorsFolder& file, const std::string& name) {
    return file.require(name, *file.shapeOf(name)).clone();
}

json storyIn(weights::SafetensorsFolder& file, const fs::path& path) {
    const auto shape = file.shapeOf(kStory);
    if (!shape || shape->size() != 1 || shape->front() > kMostStoryBytes)
        throw Failure(ErrorCode::InvalidData, path.string() + ": a tensor \"" + kStory + "\" of at most " +
                                                  std::to_string(kMostStoryBytes) + " bytes was needed");
    const at::Tensor bytes = tensorIn(file, kStory);
    if (bytes.scalar_type() != at::kByte)
        throw Failure(ErrorCode::InvalidData, path.string() + ": \"" + kStory + "\" in U8 was needed");
    const std::string_view text(static_cast<const char*>(bytes.const_data_ptr()),
                                static_cast<std::size_t>(bytes.numel()));
    return parseJson(text, path.string()).value();
}

ResumeFile::Story readStory(const json& object, const fs::path& path, int steps) {
    int done = 0;
    protocol::FieldReader fields(object, path.string(), ErrorCode::InvalidData);
    fields.integer("done", done, 1);
    const json* manifest = fields.object("manifest", /*required=*/true);
    const json* timing = fields.array("timing", 1, /*required=*/true);
    fields.finish().value();
    if (done > steps)
        throw Failure(ErrorCode::InvalidData, path.string() + ": done " + std::to_string(done) +
                                                  ": at most the " + std::to_string(steps) +
                                                  " steps of the render were needed");
    ResumeFile::Story story{done, result::manifestFromJson(*manifest).value(), {}};
    const auto timings = result::timingsFromJson(*timing).value();
    if (!timings.empty()) story.timing = timings.front();
    return story;
}

}  // namespace

ResumeFile::ResumeFile(const protocol::RenderRequest& request, const catalog::RenderSettings& settings,
                       Keeps keeps, std::function<bool()> ready, std::function<Story()> now)
    : m_request(request),
      m_every(keeps == Keeps::Points ? settings.saveLatentsEvery : 0),
      m_steps(settings.numInferenceSteps),
      m_file(protocol::resultFolderOf(request.output) / protocol::kResumeFile),
      m_ready(std::move(ready)),
      m_now(std::move(now)) {}

std::optional<ResumeFile::Story> ResumeFile::readStart(const result::Manifest& now) {
    std::error_code failed;
    if (!fs::exists(m_file, failed)) return std::nullopt;
    safetensors::requireUnchanged(safetensors::MappedFile::open(m_file)->bytes(), m_file.string(),
                                  safetensors::Hashes::Needed);
    weights::SafetensorsFolder file(m_file);
    Story story = readStory(storyIn(file, m_file), m_file, m_steps);
    denoising::ResumePoint point{story.done, {}, m_file.string()};
    const std::string other = result::differenceInDenoising(story.manifest, now);
    if (!other.empty())
        throw Failure(ErrorCode::InvalidData, "--resume: " + m_file.string() +
                                                  " is another render's: " + other +
                                                  "; the same, or a render without --resume, was needed");
    for (const std::string& name : file.names())
        if (name != kStory) point.tensors[name] = tensorIn(file, name);
    if (!point.tensors.contains("latents"))
        throw Failure(ErrorCode::InvalidData, m_file.string() + ": a tensor \"latents\" was needed");
    m_start = std::move(point);
    m_kept = story.done;
    return story;
}

void ResumeFile::shareStart(parallel::Communicator& ranks) {
    const int done = std::stoi(ranks.fromFirst(std::to_string(m_start ? m_start->done : 0)));
    if (done == 0) return;
    m_start = {done,
               parallel::sharedFromFirst(ranks, m_start ? m_start->tensors : denoising::NamedTensors())};
}

bool ResumeFile::wants(int done) const {
    return m_every > 0 && (done / m_every > m_kept / m_every || done == m_steps) && m_ready();
}

void ResumeFile::keep(const denoising::ResumePoint& point) {
    Story story = m_now();
    story.done = point.done;
    auto tensors = point.tensors;
    tensors[kStory] = bytesOf(storyText(story));
    weights::writeHashedSafetensors(m_file, tensors).value();
    result::writeUnfinished(m_request.output, {point.done, m_steps, m_request}).value();
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
