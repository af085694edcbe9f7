#pragma once

#include <QColor>
#include <QIcon>

#include "widgets/theme/theme.h"

namespace reelgrid::widgets {

/// Icons drawn as paths when they are painted: crisp at any size and on any screen, and no image plugin is
/// needed. In one of the theme's own colours an icon follows the theme.
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
