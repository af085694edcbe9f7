#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

#include "core/base/result.h"

namespace reelgrid::session {

enum class ViewMode { Grid, Wipe, Difference, OnionSkin, Flicker };
/// Signed is grey where nothing differs; the heat map shows the largest channel's absolute difference.
enum class DifferenceKind { Signed, Absolute, Amplified, HeatMap };
enum class SyncBy { Time, FrameIndex };
enum class LoopKind { Off, Whole, Range };
enum class MagnifiedPixels { Nearest, Smooth };

struct LoopRange {
    double inSeconds = 0;
    double outSeconds = 0;
    bool operator==(const LoopRange&) const = default;
};

/// Where the wipe's line lies, in fractions of the picture area on screen, and its angle there: 90° is
/// upright with the reference on the left; it grows counter-clockwise.
struct WipeLine {
    double x = 0.5;
    double y = 0.5;
    double angleDegrees = 90;
    bool operator==(const WipeLine&) const = default;
};

/// The part of every picture on show, in fractions of it: a `size` by `size` square from (x, y).
struct ZoomedPart {
    double x = 0;
    double y = 0;
    double size = 1;
    bool operator==(const ZoomedPart&) const = default;
};

/// A clip shows its own time t + seconds, then `frames` frames further on; both may be negative.
struct ClipOffset {
    double seconds = 0;
    int frames = 0;
    bool operator==(const ClipOffset&) const = default;
};

/// How a comparison is looked at and played, whole: two equal values show the same. Tiles are counted from 0
/// in the grid's order; -1 leaves the choice to the comparison.
struct ViewState {
    ViewMode mode = ViewMode::Grid;
    int solo = -1;       ///< the only tile on show; -1: all
    int reference = -1;  ///< what the others are held against
    int other = -1;      ///< what wipe, onion skin and flicker hold against it
    int columns = 0;     ///< 0: as many as fill the window best
    WipeLine wipe;
    DifferenceKind difference = DifferenceKind::Amplified;
    double gain = 8;  ///< of all but Absolute
    double onionOpacity = 0.5;
    double flickerHz = 2;  ///< how often a second the two change places
    ZoomedPart zoom;
    MagnifiedPixels magnified = MagnifiedPixels::Nearest;
    bool pixelValues = false;
    bool frameNumbers = true;

    SyncBy sync = SyncBy::Time;
    LoopKind loop = LoopKind::Whole;
    std::optional<LoopRange> range;  ///< of LoopKind::Range, both frames included
    double speed = 1;
    std::vector<ClipOffset> offsets;  ///< by tile; absent ones are zero
    bool operator==(const ViewState&) const = default;
};

nlohmann::json toJson(const ViewState& view);
/// InvalidData naming the field, its value and what was needed. What is absent has its default.
Result<ViewState> viewStateFromJson(const nlohmann::json& object);

}  // namespace reelgrid::session
