#pragma once

#include <QFrame>

#include "widgets/panels/prompt_guide.h"

namespace reelgrid::widgets {

/// The words of a prompt guide by group. Stays open while words are chosen; Escape or a click elsewhere
/// closes it.
class WordsPopup : public QFrame {
    Q_OBJECT

  public:
    WordsPopup(const PromptGuide& guide, QWidget* parent);

    /// To the right of `panel`, so that what is chosen is seen to arrive there.
    void popUpBeside(const QWidget& panel);

  Q_SIGNALS:
    void wordChosen(const QString& word);
};

}  // namespace reelgrid::widgets
