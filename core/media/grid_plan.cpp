#include "core/media/grid_plan.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/media/image_limits.h"

namespace reelgrid::media {
namespace {

/// H.264 decoders in hardware stop here.
constexpr int kMaxGridSide = 8192;
constexpr int kMinFontSize = 10;

int roundUpToEven(int value) {
    return value + value % 2;
}
int roundDownToEven(int value) {
    return value - value % 2;
}

/// The picture's place in its cell. A picture that fills the cell but for the sample that made the cell even
/// is not scaled at all.
GridTile tileIn(int cellLeft, int cellTop, const GridPlan& plan, const ClipInfo& clip) {
    GridTile tile{cellLeft, cellTop, 0, 0, clip.width, clip.height, {}};
    const int spareWidth = plan.cellWidth - clip.width;
    const int spareHeight = plan.cellHeight - clip.height;
    const bool fits = spareWidth >= 0 && spareHeight >= 0 && spareWidth <= 1 && spareHeight <= 1;
    if (!fits) {
        const double scale =
            std::min(double(plan.cellWidth) / clip.width, double(plan.cellHeight) / clip.height);
        tile.width = std::clamp(roundUpToEven(int(std::floor(clip.width * scale))), 2, plan.cellWidth);
        tile.height = std::clamp(roundUpToEven(int(std::floor(clip.height * scale))), 2, plan.cellHeight);
    }
    tile.left = cellLeft + roundDownToEven((plan.cellWidth - tile.width) / 2);
    tile.top = cellTop + plan.labelHeight + roundDownToEven((plan.cellHeight - tile.height) / 2);
    return tile;
}

void setLabelSize(GridPlan& plan, int fontSize) {
    if (fontSize == 0) return;
    // At most an eighth of the picture's height, so that labels of small clips don't outgrow them.
    plan.fontSize = std::min(fontSize, std::max(kMinFontSize, plan.cellHeight / 8));
    // A multiple of 8 keeps the pictures on the encoder's transform blocks, which is faster and smaller.
    plan.labelHeight = (plan.fontSize * 4 / 3 + 7) / 8 * 8;
}

void setSize(GridPlan& plan) {
    plan.width = plan.columns * plan.cellWidth;
    plan.height = plan.rows * (plan.cellHeight + plan.labelHeight);
}

TimedClip timed(const ClipInfo& clip, const GridLayout& layout, std::size_t index) {
    return layout.timing.empty() ? TimedClip{&clip} : layout.timing[index];
}

Result<void> setRate(GridPlan& plan, std::span<const ClipInfo* const> clips, const GridLayout& layout) {
    if (layout.fps.num < 0 || layout.fps.den <= 0)
        return Error{ErrorCode::BadUsage, "a rate of " + std::to_string(layout.fps.num) + "/" +
                                              std::to_string(layout.fps.den) +
                                              " frames a second was asked for, more than 0 was needed"};
    double duration = 0;
    for (std::size_t i = 0; i < clips.size(); ++i) {
        const ClipInfo* clip = clips[i];
        const TimedClip shown = timed(*clip, layout, i);
        const bool isFaster = shown.indexRate == 0 && clip->fps.value() > plan.fps.value();
        if (layout.fps.num == 0 && (plan.fps.num == 0 || isFaster)) plan.fps = clip->fps;
        duration = std::max(duration, shown.dueAt(clip->frameCount()));
    }
    if (layout.fps.num > 0)
        plan.fps = layout.fps;
    else if (layout.maxFps > 0 && plan.fps.value() > layout.maxFps)
        plan.fps = {std::int64_t(layout.maxFps), 1};
    const double frames = std::ceil(duration * plan.fps.value() - 1e-6);
    constexpr double kMaxFrames = 1e8;
    if (frames > kMaxFrames)
        return Error{ErrorCode::BadUsage, "a grid of " + std::to_string(duration) + " s at " +
                                              std::to_string(plan.fps.value()) +
                                              " frames a second is too long"};
    plan.frameCount = std::max(1, int(frames));
    return {};
}

}  // namespace

int gridColumns(int count) {
    return int(std::ceil(std::sqrt(double(count))));
}

Result<GridPlan> planGrid(std::span<const ClipInfo* const> clips, const GridLayout& layout) {
    constexpr std::size_t kMaxClips = 400;
    if (clips.empty() || clips.size() > kMaxClips)
        return Error{ErrorCode::BadUsage, std::to_string(clips.size()) + " clips were given, 1 to " +
                                              std::to_string(kMaxClips) + " can be in a grid"};
    if (layout.columns < 0)
        return Error{ErrorCode::BadUsage,
                     std::to_string(layout.columns) + " columns were asked for, 1 or more were needed"};
    constexpr int kMaxFontSize = 1000;
    if (layout.fontSize < 0 || layout.fontSize > kMaxFontSize)
        return Error{ErrorCode::BadUsage, "a font size of " + std::to_string(layout.fontSize) +
                                              " was asked for, 0 to " + std::to_string(kMaxFontSize) +
                                              " can be had"};
    if (!layout.timing.empty() && layout.timing.size() != clips.size())
        return Error{ErrorCode::BadUsage, std::to_string(layout.timing.size()) + " offsets were given for " +
                                              std::to_string(clips.size()) +
                                              " clips, one for each was needed"};
    GridPlan plan;
    const int count = int(clips.size());
    plan.columns = layout.columns > 0 ? std::min(layout.columns, count) : gridColumns(count);
    plan.rows = (count + plan.columns - 1) / plan.columns;
    if (auto rate = setRate(plan, clips, layout); !rate) return rate.error();

    for (const ClipInfo* clip : clips) {
        plan.cellWidth = std::max(plan.cellWidth, roundUpToEven(clip->width));
        plan.cellHeight = std::max(plan.cellHeight, roundUpToEven(clip->height));
    }
    setLabelSize(plan, layout.fontSize);
    setSize(plan);
    if (plan.width > kMaxGridSide || plan.height > kMaxGridSide) {
        const double shrink = std::min(double(kMaxGridSide) / plan.width, double(kMaxGridSide) / plan.height);
        plan.cellWidth = std::max(2, roundDownToEven(int(plan.cellWidth * shrink)));
        plan.cellHeight = std::max(2, roundDownToEven(int(plan.cellHeight * shrink)));
        setLabelSize(plan, layout.fontSize);
        setSize(plan);
    }
    if (!isSaneSize(plan.width, plan.height))
        return Error{ErrorCode::BadUsage, "a grid of " + std::to_string(plan.width) + "x" +
                                              std::to_string(plan.height) +
                                              " is too large: ask for other columns"};
    for (int i = 0; i < count; ++i) {
        plan.tiles.push_back(tileIn(i % plan.columns * plan.cellWidth,
                                    i / plan.columns * (plan.cellHeight + plan.labelHeight), plan,
                                    *clips[std::size_t(i)]));
        plan.tiles.back().clip = timed(*clips[std::size_t(i)], layout, std::size_t(i));
    }
    return plan;
}

}  // namespace reelgrid::media
