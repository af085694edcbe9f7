#include "core/comparison/clip_labels.h"

#include <fnmatch.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "core/base/folder.h"
#include "core/base/pending_name.h"
#include "core/families/family.h"
#include "core/media/writer.h"

namespace reelgrid::comparison {
namespace {

namespace fs = std::filesystem;

/// The same file, however each is spelled; an output that isn't there yet is no clip.
bool isSameFile(const fs::path& a, const fs::path& b) {
    std::error_code failed;
    return !b.empty() && fs::equivalent(a, b, failed) && !failed;
}

bool isNumber(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

/// TYPE in "…_attn_TYPE_<height>x<width>".
std::optional<std::string> attentionType(std::string_view stem) {
    constexpr std::string_view kMark = "_attn_";
    const std::size_t size = stem.rfind('_');
    const std::size_t mark = stem.find(kMark);
    if (size == stem.npos || mark == stem.npos || size <= mark + kMark.size()) return std::nullopt;
    const std::string_view dimensions = stem.substr(size + 1);
    const std::size_t by = dimensions.find('x');
    if (by == dimensions.npos || !isNumber(dimensions.substr(0, by)) || !isNumber(dimensions.substr(by + 1)))
        return std::nullopt;
    return std::string(stem.substr(mark + kMark.size(), size - mark - kMark.size()));
}

}  // namespace

std::string labelOf(const fs::path& path) {
    const std::string stem = path.stem().string();
    if (auto type = attentionType(stem); type && media::containerOf(path)) return *type;
    const std::size_t underscore = stem.find('_');
    if (underscore == std::string::npos || underscore + 1 == stem.size()) return stem;
    const bool isOfFamily = std::ranges::any_of(families::families(), [&](const families::Family& family) {
        return !family.clipPrefix.empty() && stem.starts_with(family.clipPrefix);
    });
    return isOfFamily ? stem.substr(underscore + 1) : stem;
}

std::span<const std::string> defaultClipPatterns() {
    static const std::vector<std::string> kPatterns = [] {
        std::vector<std::string> patterns{"*_attn_*.mp4"};
        for (const families::Family& family : families::families())
            if (!family.clipPrefix.empty()) patterns.push_back(std::string(family.clipPrefix) + "*.mp4");
        return patterns;
    }();
    return kPatterns;
}

Result<std::vector<media::LabelledClip>> findClips(const fs::path& folder,
                                                   std::span<const std::string> patterns,
                                                   const fs::path& except) {
    const auto entries = entriesOf(folder);
    if (!entries) return entries.error();
    std::error_code failed;
    std::vector<media::LabelledClip> clips;
    for (const fs::directory_entry& entry : *entries) {
        const std::string name = entry.path().filename().string();
        const bool matches = std::ranges::any_of(patterns, [&](const std::string& pattern) {
            return fnmatch(pattern.c_str(), name.c_str(), FNM_PERIOD) == 0;
        });
        const bool unfinished = processOfPendingName(name) != 0;
        if (matches && !unfinished && entry.is_regular_file(failed) && !isSameFile(entry.path(), except))
            clips.push_back({entry.path(), labelOf(entry.path())});
    }
    if (clips.empty()) {
        std::string wanted;
        for (const std::string& pattern : patterns) wanted += (wanted.empty() ? "" : ", ") + pattern;
        return Error{ErrorCode::NotFound, folder.string() + ": no clip is named " + wanted};
    }
    std::ranges::sort(clips, {},
                      [](const media::LabelledClip& clip) { return clip.path.filename().string(); });
    return clips;
}

}  // namespace reelgrid::comparison
