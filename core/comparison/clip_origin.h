#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "core/media/text_tags.h"

namespace reelgrid::comparison {

/// With what another program made a clip, as far as it wrote that into the file. Untrusted text, on one line
/// but for the prompt; unknown: empty or absent.
struct ClipOrigin {
    std::string model;    ///< the file's name without folder and extension: "wan2.1_t2v_1.3B"
    std::string sampler;  ///< as the program calls it: "euler"
    std::string scheduler;
    std::optional<std::int64_t> steps;
    std::optional<double> cfg;  ///< guidance scale
    std::optional<std::uint64_t> seed;
    std::string prompt;  ///< valid UTF-8 of at most kMaxPromptBytes

    static constexpr std::size_t kMaxPromptBytes = 4096;

    /// "wan2.1_t2v_1.3B · euler simple · 20 steps · cfg 6 · seed 42"; empty where none of these is known.
    [[nodiscard]] std::string text() const;
};

/// Reads what ComfyUI (tag "prompt"), VideoHelperSuite (tag "comment" with a JSON object) and AUTOMATIC1111's
/// web UI (tag "parameters", or "comment") write. Nothing where no tag is one of these, or where the one that
/// is can't be read.
std::optional<ClipOrigin> originFromTags(std::span<const media::TextTag> tags);

/// The origin of a clip that has no manifest of ours: from its own tags, else from those of the PNG file of
/// the same name beside it, which VideoHelperSuite writes (a GIF has no tags). Blocks on the disk; safe on
/// any thread. Nothing where there is none, and for files that can't be read.
std::optional<ClipOrigin> originOf(const std::filesystem::path& clip);

/// What its manifest says ran (Caption::labelled() of its labelOf()); of other clips labelOf(), and after it
/// the origin's text where there is one: "clip_00001 · wan2.1_t2v_1.3B · euler". Reads the whole clip.
std::string labelWithOrigin(const std::filesystem::path& clip);

}  // namespace reelgrid::comparison
