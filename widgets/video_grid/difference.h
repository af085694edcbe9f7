#pragma once

#include <QImage>
#include <array>

#include "core/session/view_state.h"

namespace reelgrid::widgets {

/// Colours of the heat map from no difference to the largest one shown, evenly spaced: dark to light, so that
/// they can be told apart in grey and by colour-blind readers (the tones of matplotlib's "inferno").
inline constexpr std::array<std::array<int, 3>, 8> kHeatStops{{{0, 0, 4},
                                                               {40, 11, 84},
                                                               {101, 21, 110},
                                                               {159, 42, 99},
                                                               {212, 72, 66},
                                                               {245, 125, 21},
                                                               {250, 193, 39},
                                                               {252, 255, 164}}};

/// `share` of the way from the first to the last of them.
QRgb heatColor(double share);

/// How the difference of two colours is shown: of 8-bit codes, as they are read from the screen.
QRgb differenceColor(QRgb color, QRgb reference, session::DifferenceKind kind, double gain);

/// Of two pictures, at the first one's size; the reference is read at the nearest place.
QImage differenceImage(const QImage& picture, const QImage& reference, session::DifferenceKind kind,
                       double gain);

}  // namespace reelgrid::widgets
