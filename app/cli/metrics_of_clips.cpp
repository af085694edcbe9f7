#include "app/cli/metrics_of_clips.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "app/cli/clip_measuring.h"
#include "app/cli/console.h"
#include "app/cli/interrupt.h"
#include "app/cli/progress_line.h"
#include "core/base/number_text.h"
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
    bool isKept = false;
    std::optional<Error> error{};
};

bool isResult(const fs::path& clip) {
    std::error_code failed;
    return fs::is_regular_file(protocol::resultFolderOf(clip) / protocol::kManifestFile, failed);
}

/// Whether the drift that is known is from the reference that was asked for, if any was: another's would be
/// another number. A render's own names no clip: it is from the same with sdpa, which is to lie beside.
bool isAgainst(const result::ClipResult& known, const fs::path& clip, const fs::path& reference) {
    if (reference.empty()) return true;
    const auto folderOf = [](const fs::path& file) {
        return fs::absolute(file).lexically_normal().parent_path();
    };
    if (folderOf(clip) != folderOf(reference)) return false;
    const std::string& named = known.metrics.drift->referenceClip;
    if (!named.empty()) return named == reference.filename().string();
    const result::Manifest other = result::readClipResult(reference).manifest;
    const auto &own = known.manifest.settings, &others = other.settings;
    return own && others && other.attentionName() == protocol::kReferenceBackend &&
           own->prompt == others->prompt && own->seed == others->seed;
}

/// What a reference was given for has to come of it; and said where it isn't of all frames.
Result<void> requireCompared(const MeasuredClip& measured, const fs::path& reference) {
    const auto whole = [](const fs::path& file) { return fs::absolute(file).lexically_normal(); };
    if (reference.empty() || whole(reference) == whole(measured.clip)) return {};
    const auto& drift = measured.metrics.drift;
    if (!drift)
        return Error{ErrorCode::BadUsage, "the reference clip " + reference.string() +
                                              " has pictures of another size: they must be of one size"};
    if (drift->comparedFrames && drift->referenceFrames && *drift->comparedFrames != measured.metrics.frames)
        say(measured.clip.string() + ": " + std::to_string(*drift->comparedFrames) + " of " +
            std::to_string(measured.metrics.frames) + " frames compared: the reference has " +
            std::to_string(*drift->referenceFrames));
    return {};
}

Result<void> measureOne(const ClipsToMeasure& what, ClipMeasuring& measuring, MeasuredClip& into,
                        const std::stop_token& stop) {
    result::ClipResult known = result::readResultOfFile(into.clip);
    for (const Error& problem : known.problems) say("note: " + problem.message);
    if (known.metrics.drift && !isAgainst(known, into.clip, what.reference)) known.metrics.drift.reset();
    into.metrics = std::move(known.metrics);
    const std::string prompt = known.manifest.request ? known.manifest.request->prompt : what.prompt;
    if (measuring.takesPrompt() && !what.prompt.empty() && what.prompt != prompt)
        say("note: " + into.clip.string() + ": --prompt decides nothing, its result says what it shows");
    const auto added = measuring.measure(into.clip, what.reference, prompt, into.metrics, stop);
    if (!added) return added.error();
    if (auto compared = requireCompared(into, what.reference); !compared) return compared;
    if (!what.keep) return {};
    // A clip that another one's result lies beside has none.
    if (!isResult(into.clip) || known.isOfAnotherClip) {
        say("note: " + into.clip.string() + ": nothing is kept, it has no result of a render beside it");
        return {};
    }
    into.isKept = true;
    return *added ? result::saveMetrics(into.clip, into.metrics) : Result<void>();
}

std::string textOf(const MeasuredClip& measured) {
    std::string text = measured.clip.string();
    for (const metrics::Measure& measure : metrics::kMeasures)
        if (const auto value = numberOf(measure, measured.metrics); value && std::isfinite(*value))
            text += std::string("\n  ") + measure.title + " " + fixed(*value, measure.decimals) +
                    (*measure.unit == '\0' ? "" : std::string(" ") + measure.unit);
    return text;
}

ordered_json jsonOf(const MeasuredClip& measured) {
    ordered_json object = {{"clip", measured.clip.string()}};
    if (measured.error) {
        object["error"] = {{"code", nameOf(measured.error->code)}, {"message", measured.error->message}};
        return object;
    }
    object["kept"] = measured.isKept;
    object["metrics"] = result::toJson(measured.metrics);
    return object;
}

}  // namespace

int measureClips(const ClipsToMeasure& what, MetricOptions& asked) {
    const InterruptWatch interrupts;
    ClipMeasuring measuring(asked, what.device);
    std::vector<MeasuredClip> all;
    int status = 0;
    ProgressLine line;
    for (const std::string& clip : what.clips) {
        if (interrupts.token().stop_requested()) return fail({ErrorCode::Cancelled, "cancelled"});
        line.update("", "measuring", int(all.size()), int(what.clips.size()), -1);
        MeasuredClip& measured = all.emplace_back(MeasuredClip{clip});
        const auto done = measureOne(what, measuring, measured, interrupts.token());
        if (done) continue;
        measured.error = done.error().in(fs::path(clip).filename().string());
        line.clear();
        status = fail(*measured.error);
        if (done.error().code == ErrorCode::Cancelled) return status;
    }
    line.clear();
    ordered_json document = {{"clips", ordered_json::array()}};
    std::string text;
    for (const MeasuredClip& measured : all) {
        document["clips"].push_back(jsonOf(measured));
        if (!measured.error) text += (text.empty() ? "" : "\n") + textOf(measured);
    }
    const int printed =
        what.json ? printResult(document.dump(2, ' ', false, ordered_json::error_handler_t::replace))
                  : printResult(text);
    return std::max(status, printed);
}

}  // namespace reelgrid::cli
