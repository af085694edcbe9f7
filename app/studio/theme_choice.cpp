#include "app/studio/theme_choice.h"

#include <QGuiApplication>
#include <QPalette>

namespace reelgrid::studio {

widgets::Theme themeOf(ThemeChoice choice) {
    constexpr int kMiddle = 128;
    static const bool kDesktopIsDark =
        QGuiApplication::palette().color(QPalette::Window).lightness() < kMiddle;
    const bool dark = choice == ThemeChoice::Dark || (choice == ThemeChoice::Desktop && kDesktopIsDark);
    return dark ? widgets::Theme::Dark : widgets::Theme::Light;
}

}  // namespace reelgrid::studio
