#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/pending_file.h"
#include "core/protocol/result_paths.h"
#include "core/result/resume_story.h"
#include "core/safetensors/tensor_hashes.h"

namespace reelgrid::result {

/// Writes the resume.safetensors that a render of `clip` leaves after so many steps: latents of 16 bytes, and
/// a story that says nothing but the steps.
inline bool writeKeptState(const std::filesystem::path& clip, int done) {
    const std::string latents(16, '\1');
    const std::string story = textOf(ResumeStory{.done = done, .manifest = {}, .timing = {}});
    const std::vector<std::int64_t> shape{4}, storyShape{std::int64_t(story.size())};
    using safetensors::ElementType;
    const nlohmann::json header = {
        {"__metadata__",
         {{"sha256:latents", safetensors::hashOf("latents", ElementType::F32, shape, latents)},
          {"sha256:story", safetensors::hashOf("story", ElementType::U8, storyShape, story)}}},
        {"latents", {{"dtype", "F32"}, {"shape", shape}, {"data_offsets", {0, latents.size()}}}},
        {"story",
         {{"dtype", "U8"},
          {"shape", storyShape},
          {"data_offsets", {latents.size(), latents.size() + story.size()}}}}};
    const std::string text = header.dump();
    const std::uint64_t length = text.size();
    const std::string bytes =
        std::string(reinterpret_cast<const char*>(&length), sizeof length) + text + latents + story;
    return writeFile(protocol::resultFolderOf(clip) / protocol::kResumeFile, bytes).ok();
}

}  // namespace reelgrid::result
