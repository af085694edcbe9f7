#include "app/cli/other_requests.h"

#include <algorithm>

#include "core/base/folder.h"
#include "core/comparison/clip_labels.h"
#include "core/comparison/request_differences.h"
#include "core/protocol/result_paths.h"

namespace reelgrid::cli {
namespace {

namespace fs = std::filesystem;
using comparison::Beside;
using comparison::requestDifferences;
using result::Manifest;

/// In what a clip's request is another than that which is to be rendered. Tiles are decided when that runs.
std::vector<std::string> differencesFrom(const CheckedRequest& checked, const Manifest& there) {
    if (!there.settings) return {};
    Manifest planned;
    planned.modelId = checked.model().id;
    planned.settings = checked.settings();
    planned.settings->vaeTiling = there.settings->vaeTiling;
    planned.settings->vaeTilePx = there.settings->vaeTilePx;
    return requestDifferences({&planned, &there}, Beside::Shortcuts);
}

std::string firstOf(const std::vector<std::string>& names) {
    constexpr std::size_t kMostNamed = 4;
    std::string text;
    for (std::size_t i = 0; i < std::min(kMostNamed, names.size()); ++i)
        text += (i == 0 ? "" : ", ") + names[i];
    if (names.size() > kMostNamed) text += " and " + std::to_string(names.size() - kMostNamed) + " more";
    return text;
}

}  // namespace

std::string otherRequestsLine(const Comparison& comparison) {
    const fs::path folder = comparison.folder / protocol::kResultsFolder;
    const auto found = comparison::findClips(folder, comparison::defaultClipPatterns());
    if (!found) return {};
    std::vector<std::string> names, words;
    for (const media::LabelledClip& clip : *found) {
        const auto isOwn = [&](const ComparisonEntry& entry) { return entry.clip == clip.path; };
        if (std::ranges::any_of(comparison.entries, isOwn)) continue;
        const auto differences =
            differencesFrom(comparison.entries.front().checked, result::readClipResult(clip.path).manifest);
        if (differences.empty()) continue;
        names.push_back(clip.path.filename().string());
        for (const std::string& word : differences)
            if (std::ranges::find(words, word) == words.end()) words.push_back(word);
    }
    if (names.empty()) return {};
    return folder.string() + " holds clips of another request (they differ in " + comparison::listed(words) +
           "), which stay: " + firstOf(names);
}

std::string otherSuiteLine(const fs::path& folder, const std::set<fs::path>& own) {
    std::vector<std::string> names;
    for (const fs::path& subject : foldersNewestFirst(folder)) {
        const auto found =
            comparison::findClips(subject / protocol::kResultsFolder, comparison::defaultClipPatterns());
        if (!found) continue;  // a folder of something else
        for (const media::LabelledClip& clip : *found)
            if (!own.contains(clip.path)) names.push_back(clip.path.lexically_relative(folder).string());
    }
    if (names.empty()) return {};
    std::ranges::sort(names);
    return folder.string() + " holds clips of another suite, which stay: " + firstOf(names);
}

std::string mixedRequestsLine(std::span<const media::LabelledClip> clips) {
    std::vector<Manifest> manifests;
    for (const media::LabelledClip& clip : clips)
        manifests.push_back(result::readResultOfFile(clip.path).manifest);
    std::vector<const Manifest*> all;
    for (const Manifest& manifest : manifests) all.push_back(&manifest);
    const auto words = requestDifferences(all, Beside::Shortcuts);
    return words.empty() ? ""
                         : "the clips are not of one request: they differ in " + comparison::listed(words);
}

}  // namespace reelgrid::cli
