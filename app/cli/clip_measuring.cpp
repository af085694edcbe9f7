#include "app/cli/clip_measuring.h"

#include <utility>

#include "app/cli/console.h"
#include "core/comparison/compared_frames.h"
#include "core/metrics/added_measures.h"
#include "core/protocol/result_paths.h"

namespace reelgrid::cli {

namespace fs = std::filesystem;

ClipMeasuring::ClipMeasuring(MetricOptions& asked, std::string device)
    : m_asked(asked), m_device(std::move(device)) {}

const comparison::ClipMeasurer& ClipMeasuring::measurerOf(const fs::path& reference) {
    return m_measurers.try_emplace(reference, reference).first->second;
}

/// A reference is one of many clips.
Result<std::string> ClipMeasuring::hashOf(const fs::path& clip, const std::stop_token& stop) {
    if (const auto known = m_hashes.find(clip); known != m_hashes.end()) return known->second;
    auto hash = comparison::hashOfCompared(clip, stop);
    if (hash) m_hashes[clip] = *hash;
    return hash;
}

Result<result::MeasuredOf> ClipMeasuring::describe(const fs::path& clip, const fs::path& reference,
                                                   const std::string& prompt, const std::stop_token& stop) {
    auto frames = hashOf(clip, stop);
    if (!frames) return frames.error();
    auto others = reference.empty() ? Result(std::string()) : hashOf(reference, stop);
    if (!others) return others.error();
    auto with = m_asked.fingerprint(stop);
    if (!with) return with.error();
    return result::MeasuredOf{*std::move(frames), *std::move(others),
                              m_asked.takesPrompt() ? prompt : std::string(), *std::move(with)};
}

Result<bool> ClipMeasuring::measureAnew(const fs::path& clip, const fs::path& reference,
                                        const std::string& prompt, metrics::ClipMetrics& known,
                                        const std::stop_token& stop) {
    auto added = measurerOf(reference).complete(clip, known, stop);
    if (!added || !m_asked.any()) return added;
    if (auto loaded = m_asked.load(m_device); !loaded) return loaded.error();
    const auto asked = m_asked.measure(clip, reference, prompt, known, stop);
    if (!asked) return asked.error();
    return *added || *asked;
}

Result<bool> ClipMeasuring::measure(const fs::path& clip, const fs::path& reference,
                                    const std::string& prompt, metrics::ClipMetrics& known,
                                    const std::stop_token& stop) {
    const bool isItself = !reference.empty() &&
                          fs::absolute(reference).lexically_normal() == fs::absolute(clip).lexically_normal();
    const fs::path other = isItself ? fs::path() : reference;
    const comparison::ClipMeasurer& measurer = measurerOf(other);
    if (!reference.empty()) metrics::dropOtherDrift(measurer.referenceSha256(), known);
    if (!m_asked.any() && (other.empty() || known.drift)) return measurer.complete(clip, known, stop);
    const auto of = describe(clip, other, prompt, stop);
    if (!of) return of.error();
    if (const auto found = result::findMeasured(clip, *of)) {
        ++m_reused;
        metrics::addMeasures(*found, known);
        // The same frames may have been another file's.
        if (known.drift && !other.empty()) measurer.nameReference(*known.drift);
        return true;
    }
    const auto added = measureAnew(clip, other, prompt, known, stop);
    std::error_code failed;
    if (!added || !*added || !fs::is_directory(protocol::resultFolderOf(clip), failed)) return added;
    // What can't be kept is measured again.
    if (auto kept = result::keepMeasured(clip, *of, known); !kept) say("note: " + kept.error().message);
    return added;
}

}  // namespace reelgrid::cli
