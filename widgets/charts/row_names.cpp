#include "widgets/charts/row_names.h"

#include <qcustomplot.h>

#include <algorithm>
#include <cmath>

namespace reelgrid::widgets {

namespace {
// Pixels of a name; "fav3_sage+policy-3f2a" fits.
constexpr int kLongestRowName = 160;
}  // namespace

void RowNames::set(const QStringList& names) {
    const QFontMetrics metrics(m_plot->yAxis->tickLabelFont());
    m_names.clear();
    for (const QString& name : names)
        m_names.append(metrics.elidedText(name, Qt::ElideMiddle, kLongestRowName));
    m_rows = std::max(kFewestRows, int(m_names.size()));
    m_plot->yAxis->setRange(0.4, m_rows + 0.6);
    write();
}

bool RowNames::fit() {
    const double height = m_plot->axisRect()->height() / m_plot->yAxis->range().size();
    const int line = QFontMetrics(m_plot->yAxis->tickLabelFont()).height();
    const int every = height > 0 ? std::clamp(int(std::ceil(line / height)), 1, m_rows) : m_every;
    if (every == m_every) return false;
    m_every = every;
    write();
    return true;
}

void RowNames::write() {
    const QSharedPointer<QCPAxisTickerText> ticker(new QCPAxisTickerText);
    for (int i = 0; i < m_names.size(); ++i)
        if (isNamed(i)) ticker->addTick(placeOf(i), m_names[i]);
    m_plot->yAxis->setTicker(ticker);
}

}  // namespace reelgrid::widgets
