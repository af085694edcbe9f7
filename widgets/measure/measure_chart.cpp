#include "widgets/measure/measure_chart.h"

#include <qcustomplot.h>

#include <QBuffer>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSvgGenerator>
#include <QVBoxLayout>

#include "core/base/pending_file.h"
#include "widgets/charts/plot_style.h"

namespace reelgrid::widgets {

namespace {

// Twice the screen's size: a picture goes into slides and papers.
constexpr double kPictureScale = 2;

QString csvCell(const QString& text) {
    const bool plain = !text.contains(',') && !text.contains('"') && !text.contains('\n');
    return plain ? text : '"' + QString(text).replace('"', "\"\"") + '"';
}

QString csvLine(const QStringList& cells) {
    QStringList quoted;
    for (const QString& cell : cells) quoted << csvCell(cell);
    return quoted.join(',') + '\n';
}

}  // namespace

QString FigureTable::csv() const {
    QString text = csvLine(heads);
    for (const QStringList& row : rows) text += csvLine(row);
    return text;
}

MeasureChart::MeasureChart(const QString& title, QWidget* parent)
    : QWidget(parent), m_title(new QLabel(title)), m_reading(new QLabel), m_plot(new QCustomPlot) {
    setObjectName("panel");
    setAttribute(Qt::WA_StyledBackground);
    m_title->setObjectName("heading");
    m_reading->setObjectName("quiet");
    m_reading->setTextFormat(Qt::PlainText);
    m_reading->setMinimumWidth(10);
    auto* save = new QPushButton(tr("Save…"));
    save->setObjectName("flat");
    save->setProperty("plain", true);
    save->setToolTip(tr("Save this chart as PNG or SVG, or its figures as CSV"));
    connect(save, &QPushButton::clicked, this, &MeasureChart::askAndExport);
    auto* head = new QHBoxLayout;
    head->addWidget(m_title);
    head->addWidget(m_reading, 1);
    head->addWidget(save);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(14, 8, 12, 8);
    layout->setSpacing(4);
    layout->addLayout(head);
    layout->addWidget(m_plot, 1);
    stylePlot(*m_plot);
}

QString MeasureChart::title() const {
    return m_title->text();
}

QString MeasureChart::reading() const {
    return m_reading->text();
}

void MeasureChart::setTitle(const QString& title) {
    m_title->setText(title);
}

void MeasureChart::setReading(const QString& reading) {
    m_reading->setText(reading.isEmpty() ? QString() : "   " + reading);
}

void MeasureChart::askAndExport() {
    const QString file = QFileDialog::getSaveFileName(this, tr("Save chart"), "chart.png",
                                                      tr("Pictures and tables (*.png *.svg *.csv)"));
    if (file.isEmpty()) return;
    const auto saved = exportTo(file.toStdString());
    setReading(saved ? tr("saved as %1").arg(file) : QString::fromStdString(saved.error().message));
}

Result<void> MeasureChart::exportTo(const std::filesystem::path& file) {
    const std::filesystem::path ending = file.extension();
    QByteArray bytes;
    if (ending == ".csv") {
        bytes = m_table.csv().toUtf8();
    } else if (ending == ".svg") {
        auto drawn = svg();
        if (!drawn) return drawn.error();
        bytes = *drawn;
    } else if (ending == ".png") {
        QBuffer buffer(&bytes);
        m_plot->toPixmap(m_plot->width(), m_plot->height(), kPictureScale).save(&buffer, "PNG");
    } else {
        return Error{ErrorCode::BadUsage, file.string() + ": an ending of .png, .svg or .csv was needed"};
    }
    return writeFile(file, {bytes.constData(), std::size_t(bytes.size())});
}

Result<QByteArray> MeasureChart::svg() {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setSize(m_plot->size());
    generator.setViewBox(QRect(QPoint(0, 0), m_plot->size()));
    generator.setTitle(m_title->text());
    QCPPainter painter;
    if (!painter.begin(&generator)) return Error{ErrorCode::Internal, "the chart can't be drawn as SVG"};
    painter.setMode(QCPPainter::pmVectorized);
    m_plot->toPainter(&painter, m_plot->width(), m_plot->height());
    painter.end();
    return bytes;
}

}  // namespace reelgrid::widgets
