#include "core/result/resume_story.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <system_error>

#include "core/base/json.h"
#include "core/protocol/field_reader.h"
#include "core/protocol/result_paths.h"
#include "core/safetensors/header.h"
#include "core/safetensors/mapped_file.h"

namespace reelgrid::result {
namespace {

constexpr std::uint64_t kMostStoryBytes = std::uint64_t{32} << 20;

std::string_view storyBytesIn(std::string_view file, const std::string& path) {
    const auto tensors = safetensors::readHeader(file, path);
    const auto found = tensors.find(kResumeStory);
    if (found == tensors.end() || found->second.shape.size() != 1 || found->second.bytes > kMostStoryBytes)
        throw Failure(ErrorCode::InvalidData, path + ": a tensor \"" + kResumeStory + "\" of at most " +
                                                  std::to_string(kMostStoryBytes) + " bytes was needed");
    if (found->second.dtype != safetensors::ElementType::U8)
        throw Failure(ErrorCode::InvalidData, path + ": \"" + kResumeStory + "\" in U8 was needed");
    return file.substr(found->second.begin, found->second.bytes);
}

}  // namespace

std::string textOf(const ResumeStory& story) {
    return printJson({{"done", story.done},
                      {"steps", story.steps},
                      {"manifest", toJson(story.manifest)},
                      {"timing", toJson(std::vector{story.timing})}});
}

ResumeStory resumeStoryIn(std::string_view file, const std::string& path) {
    const nlohmann::json object = parseJson(storyBytesIn(file, path), path).value();
    int done = 0, steps = 0;
    protocol::FieldReader fields(object, path, ErrorCode::InvalidData);
    fields.integer("done", done, 1);
    fields.integer("steps", steps, 0);
    const nlohmann::json* manifest = fields.object("manifest", /*required=*/true);
    const nlohmann::json* timing = fields.array("timing", 1, /*required=*/true);
    fields.finish().value();
    if (done < 1)
        throw Failure(ErrorCode::InvalidData, path + ": \"" + kResumeStory +
                                                  "\" has no done, the steps that "
                                                  "are done, which was needed");
    if (steps > 0) requireStepsWithin(path, done, steps);
    ResumeStory story{done, steps, manifestFromJson(*manifest).value(), {}};
    const auto timings = timingsFromJson(*timing).value();
    if (!timings.empty()) story.timing = timings.front();
    return story;
}

void requireStepsWithin(const std::string& file, int done, int steps) {
    if (done > steps)
        throw Failure(ErrorCode::InvalidData, file + ": done " + std::to_string(done) + ": at most the " +
                                                  std::to_string(steps) + " steps of the render were needed");
}

Result<std::optional<ResumeStory>> readResumeStory(const std::filesystem::path& clip) try {
    const auto path = protocol::resultFolderOf(clip) / protocol::kResumeFile;
    std::error_code failed;
    if (!std::filesystem::exists(path, failed)) return std::optional<ResumeStory>();
    return std::optional(resumeStoryIn(safetensors::MappedFile::open(path)->bytes(), path.string()));
} catch (const Failure& failure) {
    return failure.error();
}

}  // namespace reelgrid::result
