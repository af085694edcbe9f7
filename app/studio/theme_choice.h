#pragma once

#include "app/studio/settings.h"
#include "widgets/theme/theme.h"

namespace reelgrid::studio {

/// The theme that a choice means. What the desktop's is shows before a theme was applied: the first call has
/// to come then.
widgets::Theme themeOf(ThemeChoice choice);

}  // namespace reelgrid::studio
