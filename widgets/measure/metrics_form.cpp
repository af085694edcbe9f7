#include "widgets/measure/metrics_form.h"

#include <QCheckBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>

#include "core/metrics/measures.h"
#include "widgets/panels/form_parts.h"

namespace reelgrid::widgets {

namespace {

constexpr int kRowsHeight = 420;

QString titleOf(const MetricChoice& choice) {
    for (const metrics::Measure& measure : metrics::kMeasures)
        if (choice.measure == measure.key)
            return choice.name == "clip_l14" ? QString("%1 (ViT-L/14)").arg(measure.title)
                                             : QString(measure.title);
    return choice.name;
}

}  // namespace

MetricsForm::MetricsForm(const QString& weights, QStringList chosen, bool afterRenders, QWidget* parent)
    : MeasureForm(
          tr("Measures the clips on show by networks and programs that have to be on this machine, in "
             "a process of its own: on the GPU where there is one. The results are kept beside the "
             "clips: charts, report and tables show them."),
          parent),
      m_wanted(std::move(chosen)),
      m_weights(new QLineEdit(weights)),
      m_afterRenders(new QCheckBox(tr("Also after every render"))),
      m_column(new QVBoxLayout) {
    m_weights->setPlaceholderText(tr("the caches of Hugging Face and torchvision alone"));
    m_weights->setToolTip(
        tr("A folder with weights, or a repository in the Hugging Face cache, beside what the caches have"));
    connect(m_weights, &QLineEdit::editingFinished, this, [this] { Q_EMIT weightsChanged(this->weights()); });
    auto* browse = new QPushButton(tr("Choose…"));
    browse->setAutoDefault(false);
    connect(browse, &QPushButton::clicked, this, &MetricsForm::chooseFolder);
    auto* folder = new QHBoxLayout;
    folder->addWidget(m_weights, 1);
    folder->addWidget(browse);
    m_afterRenders->setChecked(afterRenders);
    connect(m_afterRenders, &QCheckBox::toggled, this, [this](bool on) {
        if (!on) Q_EMIT afterRendersEnded();
    });
    fields()->addRow(tr("Weights"), folder);
    // What is missing takes several lines: as many as it needs are there to be scrolled through.
    auto* page = new QWidget;
    page->setLayout(m_column);
    auto* area = new QScrollArea;
    area->setWidget(page);
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    area->setMinimumHeight(kRowsHeight);
    area->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    fields()->addRow(area);
    fields()->addRow(QString(), m_afterRenders);
    say(tr("Looking for weights…"));
}

void MetricsForm::chooseFolder() {
    const QString folder = QFileDialog::getExistingDirectory(this, tr("Folder of weights"), weights());
    if (!folder.isEmpty()) setWeights(folder);
}

void MetricsForm::setWeights(const QString& folder) {
    m_weights->setText(folder);
    Q_EMIT weightsChanged(weights());
}

void MetricsForm::empty() {
    while (QLayoutItem* item = m_column->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    m_rows.clear();
}

void MetricsForm::say(const QString& words) {
    empty();
    QLabel* label = quiet(words);
    label->setWordWrap(true);
    m_column->addWidget(label);
    m_column->addStretch();
    setObstacle(obstacle());
}

void MetricsForm::setProblem(const QString& why) {
    if (!m_rows.empty()) m_wanted = chosen();
    say(why);
}

void MetricsForm::addRow(const MetricChoice& choice) {
    auto* box = new QCheckBox(titleOf(choice));
    const bool isHere = !choice.with.isEmpty();
    box->setEnabled(isHere);
    box->setChecked(isHere && m_wanted.contains(choice.name));
    box->setToolTip(isHere ? choice.with : choice.missing);
    connect(box, &QCheckBox::toggled, this, [this, choice](bool on) {
        if (on) untickOthersOf(choice);
        setObstacle(obstacle());
    });
    m_column->addWidget(box);
    QLabel* words = quiet(isHere ? choice.with : choice.missing);
    words->setTextFormat(Qt::PlainText);
    words->setTextInteractionFlags(Qt::TextSelectableByMouse);
    words->setWordWrap(true);
    words->setContentsMargins(22, 0, 0, 4);
    m_column->addWidget(words);
    m_rows.push_back({choice, box});
}

/// Two networks for one measure: the later choice holds.
void MetricsForm::untickOthersOf(const MetricChoice& ticked) {
    for (const Row& row : m_rows)
        if (row.choice.measure == ticked.measure && row.choice.name != ticked.name)
            row.box->setChecked(false);
}

void MetricsForm::setChoices(const std::vector<MetricChoice>& choices) {
    if (!m_rows.empty()) m_wanted = chosen();
    empty();
    for (const MetricChoice& choice : choices) addRow(choice);
    m_column->addStretch();
    setObstacle(obstacle());
}

/// Why nothing can be measured as the boxes are; empty: something can.
QString MetricsForm::obstacle() const {
    if (!chosen().isEmpty()) return {};
    if (m_rows.empty()) return tr("It isn’t known what can be computed here");
    if (std::ranges::all_of(m_rows, [](const Row& row) { return row.choice.with.isEmpty(); }))
        return tr("None of these can be computed here: each says what it lacks");
    return tr("Nothing is ticked: at least one metric is needed");
}

QCheckBox* MetricsForm::box(const QString& metric) const {
    for (const Row& row : m_rows)
        if (row.choice.name == metric) return row.box;
    return nullptr;
}

QStringList MetricsForm::chosen() const {
    QStringList names;
    for (const Row& row : m_rows)
        if (row.box->isChecked()) names << row.choice.name;
    return names;
}

QString MetricsForm::weights() const {
    return m_weights->text().trimmed();
}

bool MetricsForm::afterRenders() const {
    return m_afterRenders->isChecked();
}

void MetricsForm::setAfterRenders(bool on) {
    m_afterRenders->setChecked(on);
}

QStringList MetricsForm::arguments() const {
    QStringList words{"metrics", "--json", "--keep", "--metrics=" + chosen().join(',')};
    if (!weights().isEmpty()) words << "--metric-weights=" + weights();
    return words;
}

QString MetricsForm::title() const {
    return tr("Metrics: %1").arg(chosen().join(", "));
}

}  // namespace reelgrid::widgets
