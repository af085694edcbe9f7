#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/cli/comma_list.h"
#include "app/cli/console.h"
#include "app/cli/document_programs.h"
#include "app/cli/frame_rate.h"
#include "app/cli/interrupt.h"
#include "app/cli/other_requests.h"
#include "app/cli/progress_line.h"
#include "app/cli/verb.h"
#include "core/base/utf8.h"
#include "core/comparison/clip_labels.h"
#include "core/comparison/clip_origin.h"
#include "core/comparison/compared_frames.h"
#include "core/media/containers.h"
#include "core/media/stitch.h"
#include "core/protocol/result_paths.h"

namespace reelgrid::cli {
namespace {

namespace fs = std::filesystem;
using media::LabelledClip;

constexpr const char* kUsualFolder = "./rendered_videos";

struct StitchVerb {
    std::vector<std::string> clips;
    std::string inputFolder = kUsualFolder;
    std::string pattern;
    std::string output;
    std::string format;
    std::vector<std::string> labels;
    std::string fps;
    int fontSize = 36;
    int columns = 0;
    int bitDepth = 8;
    bool lossless = false;
    bool json = false;
    std::string script;  ///< families::Script's name; empty: our own ways
};

Result<fs::path> outputOf(const StitchVerb& verb) {
    if (!verb.format.empty())
        if (auto named = media::containerNamed(verb.format); !named)
            return Error{ErrorCode::BadUsage, "--format " + named.error().message};
    const fs::path output = !verb.output.empty() ? verb.output
                                                 : "comparison_grid." + (!verb.format.empty() ? verb.format
                                                                         : verb.lossless      ? "mkv"
                                                                                              : "mp4");
    if (auto container = media::containerOf(output); !container)
        return Error{ErrorCode::BadUsage, "--output " + container.error().message};
    if (!verb.format.empty() && output.extension() != "." + verb.format)
        return Error{ErrorCode::BadUsage, "--output " + output.string() + " and --format " + verb.format +
                                              " contradict each other"};
    return output;
}

/// One line for each option that decides nothing beside the others.
void sayIdleOptions(const StitchVerb& verb) {
    if (!verb.clips.empty() && verb.inputFolder != kUsualFolder) sayIdle("--input-dir", "clips are named");
    if (!verb.clips.empty() && !verb.pattern.empty()) sayIdle("--pattern", "clips are named");
    if (!verb.labels.empty() && verb.fontSize == 0 && !verb.json)
        sayIdle("--labels", "--font-size 0 draws none");
}

Result<std::vector<LabelledClip>> clipsOf(const StitchVerb& verb, const fs::path& output) {
    std::vector<LabelledClip> clips;
    if (verb.clips.empty()) {
        const std::vector<std::string> one{verb.pattern};
        const std::span<const std::string> patterns =
            verb.pattern.empty() ? comparison::defaultClipPatterns() : std::span<const std::string>(one);
        auto found = comparison::findClips(verb.inputFolder, patterns, output);
        // `compare` puts a folder's clips into its results/.
        if (!found)
            if (auto below = comparison::findClips(fs::path(verb.inputFolder) / protocol::kResultsFolder,
                                                   patterns, output))
                found = std::move(below);
        if (!found) return found.error();
        clips = *std::move(found);
    }
    for (const std::string& path : verb.clips) clips.push_back({path, comparison::labelOf(path)});
    if (verb.labels.empty() && verb.script.empty())
        for (LabelledClip& clip : clips) clip.label = comparison::labelWithOrigin(clip.path);
    if (!verb.labels.empty() && verb.labels.size() != clips.size())
        return Error{ErrorCode::BadUsage, "--labels names " + std::to_string(verb.labels.size()) +
                                              " clips: " + std::to_string(clips.size()) +
                                              " labels were needed"};
    for (std::size_t i = 0; i < verb.labels.size(); ++i) clips[i].label = verb.labels[i];
    return clips;
}

/// Of what the JSON document will name.
Result<void> requireUtf8Paths(const std::vector<LabelledClip>& clips, const fs::path& output) {
    for (const LabelledClip& clip : clips)
        if (auto text = requireUtf8("--json: a clip of --input-dir", clip.path.string()); !text) return text;
    return requireUtf8("--output", fs::absolute(output).string());
}

Result<media::Fidelity> fidelityOf(const StitchVerb& verb) {
    if (verb.bitDepth != 8 && verb.bitDepth != 10)
        return Error{ErrorCode::BadUsage,
                     "--bit-depth " + std::to_string(verb.bitDepth) + ": 8 or 10 was needed"};
    if (verb.lossless && verb.bitDepth == 10)
        return Error{ErrorCode::BadUsage,
                     "--lossless and --bit-depth 10: without loss the container decides the depth; only one "
                     "of them was needed"};
    if (verb.lossless) return media::Fidelity::Lossless;
    return verb.bitDepth == 10 ? media::Fidelity::TenBit : media::Fidelity::Usual;
}

/// Says notes as they arise and keeps them for the JSON document.
class Notes {
  public:
    void add(const std::string& note) {
        say("note: " + note);
        m_all.push_back(note);
    }
    [[nodiscard]] const std::vector<std::string>& all() const { return m_all; }

  private:
    std::vector<std::string> m_all;
};

/// Where nothing is to be lost the frames are read as they were computed.
void readKeptFrames(std::vector<LabelledClip>& clips, Notes& notes) {
    for (LabelledClip& clip : clips) {
        comparison::ComparedFrames source = comparison::comparedFrames(clip.path);
        if (!source.remark.empty())
            notes.add(source.remark);
        else if (!source.isLossless)
            notes.add(clip.path.string() +
                      ": no frames were kept of it; the grid is made from the encoded clip, with its losses");
        clip.soundFile = std::exchange(clip.path, std::move(source.file));
    }
}

int runStitch(const StitchVerb& verb) {
    if (verb.columns < 0 || verb.columns > 64)
        return fail(
            {ErrorCode::BadUsage, "--columns " + std::to_string(verb.columns) + ": from 1 to 64 was needed"});
    if (verb.fontSize < 0 || verb.fontSize > 1000)
        return fail({ErrorCode::BadUsage, "--font-size " + std::to_string(verb.fontSize) +
                                              ": from 0 (no labels) to 1000 was needed"});
    auto fidelity = fidelityOf(verb);
    if (!fidelity) return fail(fidelity.error());
    media::StitchOptions options;
    options.fidelity = *fidelity;
    options.columns = verb.columns;
    options.fontSize = verb.fontSize;
    if (!verb.fps.empty()) {
        auto rate = frameRateFrom(verb.fps);
        if (!rate) return fail(rate.error());
        options.fps = *rate;
    }
    Notes notes;
    options.remarkOnTiming = [&notes](const std::string& remark) { notes.add(remark); };
    auto output = outputOf(verb);
    if (!output) return fail(output.error());
    auto clips = clipsOf(verb, *output);
    if (!clips) {
        const auto apart = requireNoFiles("--labels", verb.labels);
        return fail(apart ? clips.error() : apart.error());
    }

    if (auto text = verb.json ? requireUtf8Paths(*clips, *output) : Result<void>(); !text)
        return fail(text.error());

    sayIdleOptions(verb);
    if (const std::string mixed = mixedRequestsLine(*clips); !mixed.empty()) notes.add(mixed);
    const InterruptWatch interrupts;
    ProgressLine line;
    std::vector<LabelledClip> sources = *clips;
    if (!verb.script.empty() && sources.size() == 3 && options.columns == 0) options.columns = 3;
    if (*fidelity != media::Fidelity::Usual) readKeptFrames(sources, notes);
    auto grid = media::stitch(sources, *output, options, interrupts.token(), [&line](int done, int total) {
        line.update("", "stitching", done, total, -1);
    });
    line.clear();
    if (!grid) return fail(grid.error());
    if (!grid->soundRemark.empty()) notes.add(grid->soundRemark);
    if (!verb.json) return printResult(output->string());
    nlohmann::json document = {{"output", fs::absolute(*output).lexically_normal().string()},
                               {"width", grid->width},
                               {"height", grid->height},
                               {"columns", grid->columns},
                               {"fps", grid->fps.value()},
                               {"frames", grid->frameCount},
                               {"clips", nlohmann::json::array()}};
    if (!notes.all().empty()) document["notes"] = notes.all();
    if (!grid->soundOf.empty()) document["sound"] = grid->soundOf.string();
    for (const LabelledClip& clip : *clips)
        document["clips"].push_back({{"path", clip.path.string()}, {"label", clip.label}});
    return printResult(document);
}

std::string usualPatterns() {
    std::string text;
    for (const std::string& pattern : comparison::defaultClipPatterns())
        text += (text.empty() ? "" : ", ") + pattern;
    return text;
}

}  // namespace

Verb addStitchVerb(CLI::App& program) {
    auto verb = std::make_shared<StitchVerb>();
    CLI::App* command = program.add_subcommand("stitch", "Put videos side by side in one labelled grid");
    command->add_option("clips", verb->clips,
                        "The clips, in order; else those of --input-dir, sorted by name");
    command->add_option("--input-dir", verb->inputFolder, "Folder of clips, or of a comparison")
        ->capture_default_str();
    command->add_option("--pattern", verb->pattern,
                        "Shell pattern of their names (default: " + usualPatterns() + ")");
    command->add_option("--output", verb->output, "The grid (default: comparison_grid.mp4)");
    command->add_option("--format", verb->format, "mp4, webm, gif or mkv (default: as --output is named)");
    command->add_flag(
        "--lossless", verb->lossless,
        "From frames that were kept, without loss: FFV1 in an .mkv (the default then), H.264 4:4:4 in an "
        ".mp4");
    command->add_option("--bit-depth", verb->bitDepth, "8, or 10 in an .mp4, from frames that were kept")
        ->capture_default_str();
    addCommaList(
        *command, "--labels", verb->labels,
        "Labels, separated by commas (default: from the names and what ComfyUI wrote into the clips)",
        EmptyEntries::Kept);
    describeListsBesideFiles(*command, "--labels", "Clips");
    command->add_option("--font-size", verb->fontSize, "Pixels; 0: no labels")->capture_default_str();
    command->add_option("--fps", verb->fps, "Frames per second (default: the highest of the clips')");
    command->add_option("--columns", verb->columns,
                        "Columns (default: the square root of the number, rounded up)");
    command->add_flag("--json", verb->json, "Print one JSON document");
    command->add_option(kAsScript, verb->script)->group("");
    return {command, [verb] { return runStitch(*verb); }};
}

}  // namespace reelgrid::cli
