#include "core/comparison/same_work.h"

#include <algorithm>
#include <map>

#include "core/base/number_text.h"
#include "core/comparison/request_differences.h"

namespace reelgrid::comparison {

namespace {
// On a quiet machine equal work differs by up to a fifth (what runs before it leaves other data in the
// caches); beyond this, ratios of whole times mislead.
constexpr double kUneven = 1.25;
}  // namespace

std::optional<double> attentionSeconds(const result::ClipResult& result,
                                       std::optional<protocol::ModuleKind> kind) {
    std::optional<double> sum;
    for (const protocol::CallRecord& call : result.manifest.attention) {
        if (kind && call.kind != *kind) continue;
        if (!call.seconds) return std::nullopt;
        sum = sum.value_or(0) + *call.seconds;
    }
    // The manifest counts the calls of all repetitions.
    if (sum && !result.timings.empty()) *sum /= double(result.timings.size());
    return sum;
}

std::optional<double> secondsOutsideAttention(const result::ClipResult& result) {
    const auto attention = attentionSeconds(result);
    if (!attention || result.timings.empty()) return std::nullopt;
    double denoise = 0;
    for (const result::Timing& timing : result.timings) {
        const auto seconds = timing.stage("denoise");
        if (!seconds) return std::nullopt;
        denoise += *seconds;
    }
    const double outside = denoise / double(result.timings.size()) - *attention;
    if (outside <= 0) return std::nullopt;
    return outside;
}

bool hadSameWork(const result::Manifest& one, const result::Manifest& other) {
    if (!one.settings || !other.settings) return one.settings.has_value() == other.settings.has_value();
    return one.settings->device == other.settings->device &&
           requestDifferences({&one, &other}, Beside::Picture).empty();
}

bool SameWork::isUneven() const {
    return slowest > kUneven * fastest;
}

std::optional<SameWork> sameWorkOf(const std::vector<double>& secondsOutsideAttention) {
    if (secondsOutsideAttention.size() < 2) return std::nullopt;
    const auto [fastest, slowest] =
        std::minmax_element(secondsOutsideAttention.begin(), secondsOutsideAttention.end());
    return SameWork{*fastest, *slowest};
}

std::optional<SameWork> sameWorkOf(const std::vector<Entry>& entries) {
    std::vector<double> seconds;
    const result::Manifest* first = nullptr;
    for (const Entry& entry : entries) {
        const auto outside = secondsOutsideAttention(entry.result);
        // A step cache skips some of the work.
        if (!outside || entry.error || entry.result.manifest.stepCache) continue;
        if (first == nullptr) first = &entry.result.manifest;
        if (hadSameWork(*first, entry.result.manifest)) seconds.push_back(*outside);
    }
    return sameWorkOf(seconds);
}

std::string machinesLine(const std::vector<Entry>& entries) {
    std::map<std::string, std::string> clips;
    for (const Entry& entry : entries) {
        if (entry.error) continue;
        std::string& names = clips[entry.result.manifest.machine];
        names += (names.empty() ? "" : ", ") + entry.caption.name;
    }
    if (clips.size() < 2) return {};
    std::string text = "rendered on different machines, whose times aren't comparable: ";
    bool isFirst = true;
    for (const auto& [machine, names] : clips) {
        text += (isFirst ? "" : "; ") + names + (machine.empty() ? " here" : " on " + machine);
        isFirst = false;
    }
    return text;
}

std::string unevenWorkLine(const SameWork& work) {
    return "the same work, denoising outside attention, took " + fixedOrShort(work.fastest, 2) + " to " +
           fixedOrShort(work.slowest, 2) +
           " s: the machine was not equally fast for all clips; render again on a quiet one before quoting a "
           "ratio of times";
}

}  // namespace reelgrid::comparison
