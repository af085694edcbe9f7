#pragma once

#include <QColor>
#include <QIcon>

#include "widgets/theme/theme.h"

namespace reelgrid::widgets {

/// Icons drawn as paths: crisp at any size, and no image plugin is needed.
enum class Glyph {
    Play,
    Pause,
    StepBack,
    StepForward,
    First,
    Last,
    Loop,
    Render,
    Cancel,
    Retry,
    Log,
    Export,
    Close,
    Folder,
    Film
};

QIcon icon(Glyph glyph, const QColor& color = theme::kText);

}  // namespace reelgrid::widgets
