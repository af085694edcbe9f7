#include "widgets/measure/captures_view.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QSplitter>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>
#include <filesystem>

#include "core/measurements/list_reader.h"
#include "widgets/measure/capture_details_view.h"
#include "widgets/measure/result_table.h"
#include "widgets/theme/qt_text.h"

namespace reelgrid::widgets {

namespace {

using measurements::CaptureDetails;
using measurements::CaptureList;
using measurements::CaptureRow;

constexpr int kSoonMs = 150;
constexpr int kThousandths = 1000;

QString place(const std::optional<int>& index) {
    return index ? QString::number(*index) : QStringLiteral("–");
}

ChartTable tableOf(const CaptureList& list) {
    ChartTable table{{QObject::tr("kernel"), QObject::tr("module"), QObject::tr("branch"),
                      QObject::tr("dtype"), QObject::tr("q"), QObject::tr("k"), QObject::tr("file"),
                      QObject::tr("step"), QObject::tr("layer"), QObject::tr("call")},
                     {}};
    for (const CaptureRow& row : list.captures)
        table.rows.push_back({text(row.kernel), text(row.module), text(row.branch), text(row.dtype),
                              text(measurements::sizesText(row.q)), text(measurements::sizesText(row.k)),
                              text(std::filesystem::path(row.file).filename().string()), place(row.step),
                              place(row.layer), QString::number(row.callIndex)});
    return table;
}

CaptureList listOf(const CaptureDetails& details) {
    const std::filesystem::path file = details.capture.file;
    return {file.parent_path().string(), {details.capture}, {}};
}

}  // namespace

CapturesView::CapturesView(CaptureList list, QWidget* parent)
    : QWidget(parent),
      m_list(std::move(list)),
      m_table(new ResultTable(7)),
      m_head(new QSpinBox),
      m_map(new KeptMapForm),
      m_status(new QLabel),
      m_progress(new QProgressBar),
      m_cancel(new QPushButton(tr("Cancel"))),
      m_details(new CaptureDetailsView),
      m_soon(new QTimer(this)) {
    m_table->setTable(tableOf(m_list));
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_head->setPrefix(tr("head "));
    m_head->setAccessibleName(tr("Head"));
    m_status->setObjectName("quiet");
    m_status->setTextFormat(Qt::PlainText);
    m_progress->setTextVisible(false);
    m_progress->setMaximumWidth(160);
    m_cancel->setObjectName("flat");
    m_cancel->setProperty("plain", true);
    m_soon->setSingleShot(true);
    m_soon->setInterval(kSoonMs);
    auto* benchmark = new QPushButton(tr("Kernel benchmark…"));
    benchmark->setObjectName("flat");
    benchmark->setProperty("plain", true);
    benchmark->setToolTip(tr("Times attention kernels on the captures of this folder"));
    connect(benchmark, &QPushButton::clicked, this,
            [this] { Q_EMIT benchmarkRequested(text(m_list.folder)); });
    auto* bar = new QHBoxLayout;
    bar->addWidget(m_head);
    bar->addWidget(m_map);
    bar->addWidget(m_status, 1);
    bar->addWidget(m_progress);
    bar->addWidget(m_cancel);
    bar->addWidget(benchmark);
    auto* lower = new QWidget;
    auto* lowerColumn = new QVBoxLayout(lower);
    lowerColumn->setContentsMargins(0, 0, 0, 0);
    lowerColumn->addLayout(bar);
    lowerColumn->addWidget(m_details, 1);
    auto* rows = new QSplitter(Qt::Vertical);
    rows->addWidget(m_table);
    rows->addWidget(lower);
    rows->setSizes({190, 500});
    auto* column = new QVBoxLayout(this);
    column->addWidget(rows);
    if (!m_list.unreadable.empty())
        setProblem(tr("%1 files can't be read; the first: %2")
                       .arg(m_list.unreadable.size())
                       .arg(text(m_list.unreadable.front())));
    setBusy(false);
    connect(m_soon, &QTimer::timeout, this, &CapturesView::request);
    connect(m_table, &QTableWidget::itemSelectionChanged, m_soon, qOverload<>(&QTimer::start));
    connect(m_head, &QSpinBox::valueChanged, m_soon, qOverload<>(&QTimer::start));
    connect(m_map, &KeptMapForm::edited, m_soon, qOverload<>(&QTimer::start));
    connect(m_cancel, &QPushButton::clicked, this, [this] {
        setBusy(false);
        Q_EMIT cancelRequested();
    });
}

CapturesView::CapturesView(const CaptureDetails& details, QWidget* parent)
    : CapturesView(listOf(details), parent) {
    const QSignalBlocker silent(m_table);
    m_table->selectRow(0);
    setDetails(details);
}

void CapturesView::setSparseBackends(const std::vector<SparseBackend>& backends) {
    m_map->setBackends(backends);
}

void CapturesView::chooseFirst() {
    m_table->selectRow(0);
}

void CapturesView::request() {
    const int row = m_table->selectedRow();
    if (row < 0) return;
    const CaptureRow& capture = m_list.captures[std::size_t(row)];
    {
        const QSignalBlocker silent(m_head);
        m_head->setMaximum(std::max(0, capture.heads() - 1));
    }
    setReading(tr("reading"), -1);
    Q_EMIT detailsRequested(text(capture.file), m_head->value(), m_map->arguments());
}

void CapturesView::setDetails(const CaptureDetails& details) {
    setBusy(false);
    m_problem.clear();
    m_status->setText(tr("%1   %2 of each block's queries were computed")
                          .arg(text(std::filesystem::path(details.capture.file).filename().string()))
                          .arg(details.map.queriesPerBlock));
    {
        const QSignalBlocker silent(m_head);
        m_head->setMaximum(std::max(0, details.capture.heads() - 1));
        m_head->setValue(details.map.head);
    }
    m_details->setDetails(details);
}

void CapturesView::setReading(const QString& words, double share) {
    setBusy(true);
    m_problem.clear();
    m_status->setText(words);
    m_progress->setRange(0, share < 0 ? 0 : kThousandths);
    m_progress->setValue(int(share * kThousandths));
}

void CapturesView::setProblem(const QString& problem) {
    setBusy(false);
    m_problem = problem;
    m_status->setText(problem);
}

QString CapturesView::problem() const {
    return m_problem;
}

void CapturesView::setBusy(bool busy) {
    m_progress->setVisible(busy);
    m_cancel->setVisible(busy);
}

}  // namespace reelgrid::widgets
