#include "app/studio/measure/measurement_window.h"

#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "core/base/pending_file.h"
#include "widgets/measure/captures_view.h"
#include "widgets/measure/error_map_view.h"
#include "widgets/measure/kernel_view.h"
#include "widgets/measure/measure_chart.h"
#include "widgets/measure/trace_view.h"
#include "widgets/measure/tuning_view.h"
#include "widgets/measure/vae_view.h"

namespace reelgrid::studio {

namespace {

constexpr QSize kSize(1260, 780);

struct ViewMaker {
    QWidget* operator()(const measurements::KernelResults& each) const {
        return new widgets::KernelView(each);
    }
    QWidget* operator()(const measurements::VaeResults& each) const { return new widgets::VaeView(each); }
    QWidget* operator()(const measurements::TraceSummary& each) const { return new widgets::TraceView(each); }
    QWidget* operator()(const measurements::TraceComparison& each) const {
        return new widgets::TraceComparisonView(each);
    }
    QWidget* operator()(const measurements::CaptureList& each) const {
        return new widgets::CapturesView(each);
    }
    QWidget* operator()(const measurements::CaptureDetails& each) const {
        return new widgets::CapturesView(each);
    }
    QWidget* operator()(const measurements::TuningResults& each) const {
        return new widgets::TuningView(each);
    }
    QWidget* operator()(const metrics::LockstepMap& each) const { return new widgets::ErrorMapView(each); }
};

}  // namespace

QWidget* makeView(const measurements::Measurement& measurement) {
    return std::visit(ViewMaker(), measurement);
}

MeasurementWindow::MeasurementWindow(const ReadMeasurement& read, QWidget* parent)
    : QWidget(parent, Qt::Window),
      m_document(read.document),
      m_isOfOneCapture(std::holds_alternative<measurements::CaptureDetails>(read.measurement)),
      m_view(makeView(read.measurement)),
      m_status(new QLabel) {
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(QString("%1 · %2 – ReelGrid")
                       .arg(QString::fromStdString(titleOf(read.measurement)), read.name.section('/', -1)));
    m_status->setObjectName("quiet");
    m_status->setTextFormat(Qt::PlainText);
    auto* save = new QPushButton(tr("Save result…"));
    save->setToolTip(tr("Saves the figures as JSON, which File › Open shows again"));
    connect(save, &QPushButton::clicked, this, &MeasurementWindow::askAndSave);
    for (const auto* chart : m_view->findChildren<widgets::MeasureChart*>())
        connect(chart, &widgets::ChartFrame::failed, m_status, &QLabel::setText);
    auto* foot = new QHBoxLayout;
    foot->addWidget(m_status, 1);
    foot->addWidget(save);
    auto* column = new QVBoxLayout(this);
    column->addWidget(m_view, 1);
    column->addLayout(foot);
    resize(kSize);
}

Result<void> MeasurementWindow::saveAs(const std::filesystem::path& file) {
    return writeFile(file, {m_document.constData(), std::size_t(m_document.size())});
}

void MeasurementWindow::askAndSave() {
    const QString file =
        QFileDialog::getSaveFileName(this, tr("Save result"), "result.json", tr("Results (*.json)"));
    if (file.isEmpty()) return;
    const auto saved = saveAs(file.toStdString());
    m_status->setText(saved ? tr("saved as %1").arg(file) : QString::fromStdString(saved.error().message));
}

}  // namespace reelgrid::studio
