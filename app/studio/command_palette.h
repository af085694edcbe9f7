#pragma once

#include <QDialog>
#include <vector>

#include "app/studio/actions.h"

class QLineEdit;
class QListWidget;

namespace reelgrid::studio {

/// Finds any command of the menus by a few of its letters, and runs it with Enter.
class CommandPalette : public QDialog {
    Q_OBJECT

  public:
    explicit CommandPalette(const QMenuBar& menus, QWidget* parent);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void fill();
    void run();

    std::vector<MenuPlace> m_places;
    QLineEdit* m_words;
    QListWidget* m_found;
};

/// How well a text fits what was typed: every word of it must be found. Negative: it doesn't.
int fitOf(const QString& typed, const QString& text);

}  // namespace reelgrid::studio
