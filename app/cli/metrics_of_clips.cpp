#include "app/cli/metrics_of_clips.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/cli/clip_measuring.h"
#include "app/cli/console.h"
#include "app/cli/interrupt.h"
#include "app/cli/progress_line.h"
#include "core/base/number_text.h"
#include "core/media/clip.h"
#include "core/metrics/measures.h"
#include "core/protocol/result_paths.h"
#include "core/result/clip_result.h"
#include "core/result/metrics_file.h"

namespace reelgrid::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

struct MeasuredClip {
    fs::path clip;
    metrics::ClipMetrics metrics{};
    std::vector<std::string> notes{};  ///< on the clip
    bool isKept = false;
    std::optional<Error> error{};
};

bool isResult(const fs::path& clip) {
    std::error_code failed;
    return fs::is_regular_file(protocol::resultFolderOf(clip) / protocol::kManifestFile, failed);
}

/// What a drift that is told without --reference is from: "against sdpa (SHA-256 3f2a…)".
std::string againstText(const metrics::Drift& drift) {
    constexpr std::size_t kDigits = 12;
    const std::string name = drift.referenceClip.empty() ? drift.reference : drift.referenceClip;
    const std::string text = "against " + (name.empty() ? std::string("a clip") : name);
    if (drift.referenceSha256.empty()) return text + "; metrics.json doesn't say which clip that was";
    return text + " (SHA-256 " + drift.referenceSha256.substr(0, kDigits) + "…)";
}

/// The reference of many clips, which is opened once.
class Reference {
  public:
    explicit Reference(fs::path clip) : m_clip(std::move(clip)) {}

    [[nodiscard]] const fs::path& clip() const { return m_clip; }
    /// Null where it can't be opened.
    const media::ClipInfo* info() {
        if (!m_isOpened)
            if (const auto opened = media::Clip::open(m_clip)) m_info = (*opened)->info();
        m_isOpened = true;
        return m_info ? &*m_info : nullptr;
    }

  private:
    fs::path m_clip;  // empty: none was given
    bool m_isOpened = false;
    std::optional<media::ClipInfo> m_info;
};

/// What a reference was given for has to come of it; and said where it isn't of all frames. `own`: null where
/// the clip couldn't be opened.
Result<void> requireCompared(const MeasuredClip& measured, const media::ClipInfo* own, Reference& other) {
    const auto whole = [](const fs::path& file) { return fs::absolute(file).lexically_normal(); };
    const fs::path& reference = other.clip();
    if (reference.empty() || whole(reference) == whole(measured.clip)) return {};
    const auto& drift = measured.metrics.drift;
    if (!drift)
        return Error{ErrorCode::BadUsage, "the reference clip " + reference.string() +
                                              " has pictures of another size: they must be of one size"};
    const media::ClipInfo* others = own != nullptr ? other.info() : nullptr;
    if (others != nullptr) sayUnequal(measured.clip, measured.metrics, *own, *others);
    return {};
}

Result<void> measureOne(const ClipsToMeasure& what, ClipMeasuring& measuring, Reference& reference,
                        MeasuredClip& into, const std::stop_token& stop) {
    result::ClipResult known = result::readResultOfFile(into.clip);
    for (const Error& problem : known.problems) say("note: " + problem.message);
    into.metrics = std::move(known.metrics);
    const std::string prompt = known.manifest.request ? known.manifest.request->prompt : what.prompt;
    if (measuring.takesPrompt() && !what.prompt.empty() && what.prompt != prompt)
        say("note: " + into.clip.string() + ": --prompt decides nothing, its result says what it shows");
    const auto added = measuring.measure(into.clip, what.reference, prompt, into.metrics, stop);
    if (!added) return added.error();
    // Whoever measured it has closed it again, or took from the result what was known.
    const auto opened = media::Clip::open(into.clip);
    const media::ClipInfo* own = opened ? &(*opened)->info() : nullptr;
    if (own != nullptr) into.notes = sayRemarks(into.clip, *own);
    if (auto compared = requireCompared(into, own, reference); !compared) return compared;
    if (!what.keep) return {};
    // A clip that another one's result lies beside has none.
    if (!isResult(into.clip) || known.isOfAnotherClip) {
        say("note: " + into.clip.string() + ": nothing is kept, it has no result of a render beside it");
        return {};
    }
    into.isKept = true;
    return *added ? result::saveMetrics(into.clip, into.metrics) : Result<void>();
}

/// Figures of kept frames and of encoded clips side by side differ by what encoding took.
void sayWhichAreEncoded(const std::vector<MeasuredClip>& all) {
    std::vector<fs::path> encoded;
    bool areSomeKept = false;
    for (const MeasuredClip& measured : all) {
        if (measured.error) continue;
        const auto manifest = result::readManifest(measured.clip);
        const bool isKept = manifest && manifest->keptFrames;
        if (!isKept) encoded.push_back(measured.clip);
        areSomeKept |= isKept;
    }
    if (!areSomeKept) return;
    for (const fs::path& clip : encoded)
        say("note: " + clip.string() + ": measured as it is encoded, others by the frames that were kept");
}

/// Width to height, as players write it: "2:1".
std::string aspectText(const media::Rational& aspect) {
    return std::to_string(aspect.num) + ":" + std::to_string(aspect.den);
}

std::string textOf(const MeasuredClip& measured, bool hasReference) {
    std::string text = measured.clip.string();
    for (const metrics::Measure& measure : metrics::kMeasures)
        if (const auto value = numberOf(measure, measured.metrics); value && std::isfinite(*value))
            text += std::string("\n  ") + measure.title + " " + fixed(*value, measure.decimals) +
                    (*measure.unit == '\0' ? "" : std::string(" ") + measure.unit);
    if (measured.metrics.drift && !hasReference) text += "\n  " + againstText(*measured.metrics.drift);
    return text;
}

ordered_json jsonOf(const MeasuredClip& measured) {
    ordered_json object = {{"clip", measured.clip.string()}};
    if (measured.error) {
        object["error"] = {{"code", nameOf(measured.error->code)}, {"message", measured.error->message}};
        return object;
    }
    object["kept"] = measured.isKept;
    if (!measured.notes.empty()) object["notes"] = measured.notes;
    object["metrics"] = result::toJson(measured.metrics);
    return object;
}

}  // namespace

std::vector<std::string> sayRemarks(const fs::path& clip, const media::ClipInfo& info) {
    std::vector<std::string> notes = media::remarksOn(info);
    for (std::string& note : notes) {
        note = clip.string() + ": " + note;
        say("note: " + note);
    }
    return notes;
}

void sayUnequal(const fs::path& clip, const metrics::ClipMetrics& measured, const media::ClipInfo& own,
                const media::ClipInfo& reference) {
    const auto& drift = measured.drift;
    if (!drift || !drift->comparedFrames || !drift->referenceFrames) return;
    if (measured.frames != *drift->referenceFrames)
        say(clip.string() + ": " + std::to_string(*drift->comparedFrames) + " of " +
            std::to_string(measured.frames) + " frames compared: the reference has " +
            std::to_string(*drift->referenceFrames));
    if (own.sampleAspect != reference.sampleAspect)
        say(clip.string() + ": its pixels are " + aspectText(own.sampleAspect) + ", the reference's " +
            aspectText(reference.sampleAspect) + ": they are held against each other as they are coded");
    // 2997/100, as some programs write it, is 30000/1001 to these digits.
    constexpr int kDigits = 6;
    const std::string rate = significant(own.fps.value(), kDigits),
                      theirs = significant(reference.fps.value(), kDigits);
    if (rate != theirs)
        say(clip.string() + ": it has " + rate + " frames/s, the reference " + theirs +
            ": frame n is held against frame n, whenever each is shown");
}

int measureClips(const ClipsToMeasure& what, MetricOptions& asked) {
    const InterruptWatch interrupts;
    ClipMeasuring measuring(asked, what.device);
    Reference reference(what.reference);
    std::vector<MeasuredClip> all;
    const auto isReference = [&](const std::string& clip) { return clip == what.reference; };
    std::vector<std::string> notes;  // on the reference
    if (!what.reference.empty() && std::ranges::none_of(what.clips, isReference))
        if (const media::ClipInfo* info = reference.info(); info != nullptr)
            notes = sayRemarks(what.reference, *info);
    int status = 0;
    ProgressLine line;
    for (const std::string& clip : what.clips) {
        if (interrupts.token().stop_requested()) return fail({ErrorCode::Cancelled, "cancelled"});
        line.update("", "measuring", int(all.size()), int(what.clips.size()), -1);
        MeasuredClip& measured = all.emplace_back(MeasuredClip{clip});
        const auto done = measureOne(what, measuring, reference, measured, interrupts.token());
        if (done) continue;
        measured.error = done.error().in(fs::path(clip).filename().string());
        line.clear();
        status = fail(*measured.error);
        if (done.error().code == ErrorCode::Cancelled) return status;
    }
    line.clear();
    sayWhichAreEncoded(all);
    ordered_json document = {{"clips", ordered_json::array()}};
    if (!notes.empty()) document["notes"] = notes;
    std::string text;
    for (const MeasuredClip& measured : all) {
        document["clips"].push_back(jsonOf(measured));
        if (!measured.error) text += (text.empty() ? "" : "\n") + textOf(measured, !what.reference.empty());
    }
    const int printed =
        what.json ? printResult(document.dump(2, ' ', false, ordered_json::error_handler_t::replace))
                  : printResult(text);
    return std::max(status, printed);
}

}  // namespace reelgrid::cli
