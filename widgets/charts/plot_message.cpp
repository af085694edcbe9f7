#include "widgets/charts/plot_message.h"

#include <qcustomplot.h>

namespace reelgrid::widgets {

PlotMessage::PlotMessage(QCustomPlot* plot) : QLabel(plot) {
    setObjectName("quiet");
    setAlignment(Qt::AlignCenter);
    setWordWrap(true);
    setAttribute(Qt::WA_TransparentForMouseEvents);
    plot->installEventFilter(this);
}

void PlotMessage::say(const QString& words) {
    setText(words);
    setVisible(!words.isEmpty());
}

bool PlotMessage::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize) setGeometry(parentWidget()->rect().adjusted(40, 0, -20, -30));
    return QLabel::eventFilter(watched, event);
}

}  // namespace reelgrid::widgets
