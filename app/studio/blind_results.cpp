// The blind test's results as a window of their own.

#include <QDialog>
#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QTableWidget>
#include <QVBoxLayout>

#include "app/studio/blind_test.h"
#include "widgets/theme/local_number.h"
#include "widgets/theme/theme.h"

namespace reelgrid::studio {

namespace {

/// A share and its interval on a line from 0 to 1, with a mark at one half.
class IntervalBar : public QWidget {
  public:
    IntervalBar(const comparison::BlindStanding& standing, const QColor& color)
        : m_interval(standing.interval()),
          m_share(standing.votes > 0 ? standing.score() / standing.votes : -1),
          m_color(color) {
        setMinimumSize(200, 24);
        setAccessibleName(QObject::tr("95 % interval"));
    }

  protected:
    void paintEvent(QPaintEvent*) override {
        namespace theme = widgets::theme;
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        constexpr double kEdge = 10;
        const double middle = height() / 2.0;
        const auto x = [&](double share) { return kEdge + share * (width() - 2 * kEdge); };
        painter.setPen(QPen(theme::kLine, 2));
        painter.drawLine(QPointF(x(0), middle), QPointF(x(1), middle));
        painter.setPen(QPen(theme::kQuiet, 1, Qt::DashLine));
        painter.drawLine(QPointF(x(0.5), 2), QPointF(x(0.5), height() - 2));
        if (m_share < 0) return;
        painter.setPen(QPen(m_color, 6, Qt::SolidLine, Qt::RoundCap));
        painter.drawLine(QPointF(x(m_interval.low), middle), QPointF(x(m_interval.high), middle));
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme::kText);
        painter.drawEllipse(QPointF(x(m_share), middle), 5, 5);
    }

  private:
    comparison::ShareInterval m_interval;
    double m_share;
    QColor m_color;
};

QString percent(double share) {
    return QString("%1 %").arg(widgets::fixedText(share * 100, 0));
}

QString conclusionOf(const comparison::BlindStanding& standing) {
    const comparison::ShareInterval interval = standing.interval();
    if (standing.stillNeeded() > 0) return QObject::tr("%n more vote(s)", nullptr, standing.stillNeeded());
    if (interval.low > 0.5) return QObject::tr("preferred");
    if (interval.high < 0.5) return QObject::tr("not preferred");
    return QObject::tr("no difference that matters");
}

}  // namespace

void showBlindResults(const BlindClips& clips, QWidget* parent) {
    const std::vector<BlindResult> results = clips.results();
    auto* table = new QTableWidget(int(results.size()), 5);
    table->setAccessibleName(QObject::tr("Blind test’s results"));
    table->setHorizontalHeaderLabels({clips.heading(), QObject::tr("preferred"), QObject::tr("share"),
                                      QObject::tr("95 % interval"), QObject::tr("still needed")});
    table->verticalHeader()->hide();
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setSelectionMode(QAbstractItemView::NoSelection);
    for (std::size_t i = 0; i < results.size(); ++i) {
        const comparison::BlindStanding& standing = results[i].standing;
        const int row = int(i);
        const auto put = [&](int column, const QString& text) {
            table->setItem(row, column, new QTableWidgetItem(text));
        };
        put(0, results[i].name);
        const QString ties =
            standing.undecided > 0 ? QObject::tr(" (+ %1 undecided)").arg(standing.undecided) : QString();
        put(1, QObject::tr("%1 of %2").arg(standing.preferred).arg(standing.votes) + ties);
        const comparison::ShareInterval interval = standing.interval();
        put(2, standing.votes == 0 ? QString()
                                   : QObject::tr("%1 (%2 to %3)")
                                         .arg(percent(standing.score() / standing.votes),
                                              percent(interval.low), percent(interval.high)));
        table->setCellWidget(row, 3, new IntervalBar(standing, results[i].color));
        put(4, conclusionOf(standing));
    }
    table->resizeColumnsToContents();
    table->horizontalHeader()->setSectionResizeMode(3, QHeaderView::Stretch);

    auto* note =
        new QLabel(QObject::tr("%n vote(s). No difference counts half for each of the two. The interval is "
                               "Wilson’s; one that leaves "
                               "50 % out is a preference. Who stops as soon as one shows finds it too often: "
                               "decide on the number of "
                               "votes before.",
                               nullptr, votesIn(results)));
    if (const int others = clips.votesOfOthers(); others > 0)
        note->setText(QObject::tr("%n vote(s) are of other clips that were at these places: not counted.",
                                  nullptr, others) +
                      '\n' + note->text());
    note->setObjectName("quiet");
    note->setWordWrap(true);
    auto* dialog = new QDialog(parent);
    dialog->setObjectName("blind-results");
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(QObject::tr("Blind test’s results"));
    auto* layout = new QVBoxLayout(dialog);
    layout->addWidget(table, 1);
    layout->addWidget(note);
    dialog->resize(widgets::theme::scaled(820), widgets::theme::scaled(360));
    dialog->show();
}

}  // namespace reelgrid::studio
