#pragma once

#include <QObject>

namespace reelgrid::studio {

/// A display without a desktop (a kiosk, a demo stand, a bare X server): nobody there gives windows the
/// keyboard or fills the screen with one. Then windows take the keyboard as they are shown, and give it back.
class BareDisplay : public QObject {
    Q_OBJECT

  public:
    explicit BareDisplay(QObject* parent);
    [[nodiscard]] static bool isBare();

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
};

}  // namespace reelgrid::studio
