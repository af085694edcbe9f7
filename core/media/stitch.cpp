#include "core/media/stitch.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "core/base/number_text.h"
#include "core/base/sha256.h"
#include "core/media/av_error.h"
#include "core/media/clip_options.h"
#include "core/media/grid_composer.h"
#include "core/media/grid_plan.h"
#include "core/media/label_image.h"
#include "core/media/scaler.h"
#include "core/media/sound_copy.h"
#include "core/media/text_tags.h"
#include "core/media/video_sink.h"
#include "core/media/writer.h"

namespace reelgrid::media {
namespace {

namespace fs = std::filesystem;

using Clips = std::vector<std::unique_ptr<Clip>>;

Result<void> refuseToReplaceAClip(std::span<const LabelledClip> clips, const fs::path& output) {
    for (const LabelledClip& clip : clips) {
        std::error_code ignored;
        if (fs::equivalent(clip.path, output, ignored))
            return Error{ErrorCode::BadUsage,
                         output.string() + ": the grid can't replace one of its own clips"};
    }
    return {};
}

Result<Clips> openAll(std::span<const LabelledClip> clips, const std::stop_token& stop) {
    Clips opened;
    for (const LabelledClip& clip : clips) {
        if (stop.stop_requested()) return Error{ErrorCode::Cancelled, "stitching was cancelled"};
        // Frames are read in order: none is worth keeping.
        auto one = openClip(clip.path, {.threads = clips.size() <= 16 ? 2 : 1, .cacheBytes = 0});
        if (!one) return one.error();
        opened.push_back(std::move(*one));
    }
    return opened;
}

/// The matrix that all YUV clips share, or BT.709.
Result<ColorMatrix> matrixOf(const Clips& clips) {
    std::vector<ColorMatrix> matrices;
    for (const auto& clip : clips) {
        auto first = clip->frame(0);
        if (!first) return first.error();
        if ((*first)->color.matrix != ColorMatrix::Rgb) matrices.push_back((*first)->color.matrix);
    }
    const bool same = !matrices.empty() && std::ranges::all_of(matrices, [&](ColorMatrix matrix) {
        return matrix == matrices[0];
    });
    return same ? matrices[0] : ColorMatrix::Bt709;
}

Result<void> paintLabels(GridComposer& composer, const GridPlan& plan, std::span<const LabelledClip> clips,
                         const fs::path& fontFile) {
    if (plan.labelHeight == 0) return {};
    for (std::size_t i = 0; i < clips.size(); ++i) {
        auto label = drawLabel(clips[i].label, plan.cellWidth, plan.labelHeight,
                               {.fontSize = plan.fontSize, .fontFile = fontFile});
        if (!label) return label.error();
        composer.paintLabel(int(i), *label);
    }
    return {};
}

/// What the grid is painted in: what the sink takes, or what becomes that.
AVPixelFormat gridFormat(AVPixelFormat sink) {
    if (sink == AV_PIX_FMT_BGR0) return AV_PIX_FMT_GBRP;
    return sink == AV_PIX_FMT_RGB24 ? AV_PIX_FMT_YUV420P : sink;
}

/// Grid pictures as the sink takes them; the grid itself where it is painted so.
class SinkPictures {
  public:
    static Result<SinkPictures> create(const GridPlan& plan, AVPixelFormat sink, ColorMatrix matrix) {
        SinkPictures pictures;
        const AVPixelFormat grid = gridFormat(sink);
        pictures.m_format = sink;
        if (grid == sink) return pictures;
        const ImageSpec from{plan.width, plan.height, grid, swsSpaceOf(matrix), isRgb(grid)};
        const ImageSpec to{plan.width, plan.height, sink, swsSpaceOf(matrix), true};
        auto scaler = makeScaler(from, to);
        if (!scaler) return scaler.error();
        pictures.m_scaler = std::move(*scaler);
        return pictures;
    }

    Result<void> add(VideoSink& sink, AVFrame& grid) {
        if (!m_scaler) return sink.add(grid);
        auto rgb = makePicture(grid.width, grid.height, m_format);
        if (!rgb) return rgb.error();
        const int rows = sws_scale(m_scaler.get(), grid.data, grid.linesize, 0, grid.height, (*rgb)->data,
                                   (*rgb)->linesize);
        if (rows < 0) return avError("conversion to RGB", rows);
        return sink.add(**rgb);
    }

  private:
    AVPixelFormat m_format = AV_PIX_FMT_NONE;
    ScalerHandle m_scaler;
};

/// What is added to a clip's own time to get the grid's; nothing where the grid plays it at another speed.
std::optional<double> shiftOf(const TimedClip& clip) {
    const double rate = clip.info->fps.value();
    if (clip.indexRate > 0 && std::abs(clip.indexRate - rate) > 1e-6 * rate) return std::nullopt;
    return -clip.offsetSeconds - clip.offsetFrames / rate;
}

/// A clip is what its file is, though its kept frames are what is read.
const fs::path& fileOf(const LabelledClip& clip) {
    return clip.soundFile.empty() ? clip.path : clip.soundFile;
}

/// Which clip makes the grid far longer than all others would; empty: none does.
std::string lengthText(std::span<const LabelledClip> clips, const GridPlan& plan) {
    constexpr double kLongSeconds = 60, kTimesLonger = 10;
    std::size_t longest = 0;
    double last = 0, others = 0;
    for (std::size_t i = 0; i < clips.size(); ++i) {
        const TimedClip& clip = plan.tiles[i].clip;
        const double end = clip.dueAt(clip.info->frameCount());
        others = std::max(others, std::min(end, last));
        if (end <= last) continue;
        last = end;
        longest = i;
    }
    if (clips.size() < 2 || last < kLongSeconds || last < kTimesLonger * others) return {};
    return fileOf(clips[longest]).string() + ": it lasts " + fixed(last, 0) + " s, the others " +
           significant(others, 3) + " s at most: the grid has " + std::to_string(plan.frameCount) +
           " frames, in most of which they hold their last one";
}

void remarkOnTiming(std::span<const LabelledClip> clips, const GridPlan& plan,
                    const std::function<void(const std::string&)>& tell) {
    for (std::size_t i = 0; i < clips.size(); ++i)
        for (const std::string& remark : remarksOn(*plan.tiles[i].clip.info))
            tell(fileOf(clips[i]).string() + ": " + remark);
    if (const std::string length = lengthText(clips, plan); !length.empty()) tell(length);
}

/// The sound that the grid gets: of the clip that is asked for, else of the first that has any.
struct ChosenSound {
    std::shared_ptr<SoundCopy> sound;
    fs::path clip;
    std::string remark;
};

Result<ChosenSound> chooseSound(std::span<const LabelledClip> clips, const GridPlan& plan,
                                const Encoding& encoding, int wanted) {
    std::vector<std::size_t> order;
    if (wanted >= 0 && wanted < int(clips.size())) order.push_back(std::size_t(wanted));
    for (std::size_t i = 0; i < clips.size(); ++i)
        if (int(i) != wanted) order.push_back(i);
    for (const std::size_t i : order) {
        const fs::path& file = fileOf(clips[i]);
        const auto shift = shiftOf(plan.tiles[i].clip);
        auto sound = SoundCopy::open(file, shift.value_or(0), plan.secondsOf(plan.frameCount));
        if (!sound) return sound.error();
        if (!*sound) continue;
        const std::string of = "the sound of " + file.filename().string();
        if (!shift)
            return ChosenSound{{}, {}, of + " is left out: the grid plays its frames at another rate"};
        if (!(*sound)->fitsInto(encoding.muxer))
            return ChosenSound{
                {},
                {},
                of + " (" + (*sound)->codecName() + ") is left out: " + encoding.name + " can't have it"};
        return ChosenSound{*std::move(sound), clips[i].path, {}};
    }
    return ChosenSound{};
}

constexpr const char* kCommentMark = "ReelGrid grid of clips with SHA-256";

/// Empty where a clip can't be read whole: then the grid says nothing.
std::string commentOf(std::span<const LabelledClip> clips, const std::stop_token& stop) {
    std::string comment = kCommentMark;
    for (const LabelledClip& clip : clips) {
        const auto hash = sha256OfFile(fileOf(clip), stop);
        if (!hash) return {};
        comment += " " + *hash;
    }
    return comment;
}

}  // namespace

std::vector<std::string> clipsOfGrid(const fs::path& grid) {
    const auto tags = readTextTags(grid);
    if (!tags) return {};
    const auto comment = std::ranges::find(*tags, "comment", &TextTag::name);
    if (comment == tags->end() || !comment->text.starts_with(kCommentMark)) return {};
    std::istringstream words(comment->text.substr(std::string_view(kCommentMark).size()));
    return {std::istream_iterator<std::string>(words), {}};
}

Result<StitchedGrid> stitch(std::span<const LabelledClip> clips, const fs::path& output,
                            const StitchOptions& options, std::stop_token stop,
                            const StitchProgress& progress) {
    auto container = containerOf(output);
    if (!container) return Error{ErrorCode::BadUsage, container.error().message};
    auto encoding = encodingOf(*container, options.fidelity);
    if (!encoding) return encoding.error().in(output.string());
    if (auto allowed = refuseToReplaceAClip(clips, output); !allowed) return allowed.error();
    auto opened = openAll(clips, stop);
    if (!opened) return opened.error();

    std::vector<const ClipInfo*> infos;
    for (const auto& clip : *opened) infos.push_back(&clip->info());
    std::vector<TimedClip> timing;
    const double indexRate = options.sync == ClipSync::ByIndex ? infos.front()->fps.value() : 0;
    for (std::size_t i = 0; i < clips.size(); ++i)
        timing.push_back({infos[i], clips[i].offsetSeconds, clips[i].offsetFrames, indexRate});
    auto planned = planGrid(infos, {.columns = options.columns,
                                    .fps = options.fps,
                                    .maxFps = double(encoding->maxRate),
                                    .fontSize = options.fontSize,
                                    .timing = std::move(timing)});
    if (!planned) return planned.error();
    const GridPlan plan = std::move(*planned);
    if (options.remarkOnTiming) remarkOnTiming(clips, plan, options.remarkOnTiming);
    auto matrix = matrixOf(*opened);
    if (!matrix) return matrix.error();
    const AVPixelFormat format = sinkFormat(*encoding);
    auto composer = GridComposer::create(plan, std::move(*opened), gridFormat(format), *matrix);
    if (!composer) return composer.error();
    if (auto painted = paintLabels(*composer, plan, clips, options.fontFile); !painted)
        return painted.error();

    auto sound = chooseSound(clips, plan, *encoding, options.soundOf);
    if (!sound) return sound.error();
    auto sink = VideoSink::create(output, {.width = plan.width,
                                           .height = plan.height,
                                           .fps = plan.fps,
                                           .container = *container,
                                           .matrix = *matrix,
                                           .threads = options.threads,
                                           .fidelity = options.fidelity,
                                           .sound = std::move(sound->sound),
                                           .comment = commentOf(clips, stop)});
    if (!sink) return sink.error();
    auto pictures = SinkPictures::create(plan, format, *matrix);
    if (!pictures) return pictures.error();
    for (int frame = 0; frame < plan.frameCount; ++frame) {
        if (stop.stop_requested()) return Error{ErrorCode::Cancelled, "stitching was cancelled"};
        auto grid = composer->compose(frame);
        if (!grid) return grid.error();
        if (auto added = pictures->add(**sink, **grid); !added) return added.error();
        if (progress) progress(frame + 1, plan.frameCount);
    }
    if (auto finished = (*sink)->finish(); !finished) return finished.error();
    return StitchedGrid{plan.width,
                        plan.height,
                        plan.columns,
                        plan.fps,
                        plan.frameCount,
                        std::move(sound->clip),
                        std::move(sound->remark)};
}

}  // namespace reelgrid::media
