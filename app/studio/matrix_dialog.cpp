#include "app/studio/matrix_dialog.h"

#include <QCheckBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPointer>
#include <QPushButton>
#include <QSplitter>
#include <QVBoxLayout>
#include <algorithm>

#include "app/studio/dialogs.h"
#include "app/studio/forecast_text.h"
#include "app/studio/wide_column_view.h"
#include "core/catalog/render_settings.h"
#include "core/protocol/attention_policy_json.h"

namespace reelgrid::studio {

namespace {

constexpr int kExpandMs = 150;
constexpr int kListHeight = 118;

QListWidget* checkList(const QString& name) {
    auto* list = new QListWidget;
    list->setAccessibleName(name);
    list->setMaximumHeight(kListHeight);
    return list;
}

QListWidgetItem* addTo(QListWidget* list, const QString& text, bool checked) {
    auto* item = new QListWidgetItem(text, list);
    item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
    item->setCheckState(checked ? Qt::Checked : Qt::Unchecked);
    return item;
}

bool isChecked(const QListWidget* list, int row) {
    return list->item(row)->checkState() == Qt::Checked;
}

}  // namespace

MatrixDialog::MatrixDialog(MatrixSources sources, BackgroundThread* background, QWidget* parent)
    : QDialog(parent),
      m_sources(std::move(sources)),
      m_prompts(new QPlainTextEdit),
      m_seeds(new QLineEdit),
      m_steps(new QLineEdit),
      m_stepCaches(new QLineEdit),
      m_models(checkList(tr("Models"))),
      m_backends(checkList(tr("Backends"))),
      m_policyList(checkList(tr("Policies"))),
      m_reuse(new QCheckBox(tr("Reuse identical renders that are there already"))),
      m_summary(new QLabel),
      m_problem(new QLabel),
      m_table(new MatrixTable(this)),
      m_earlier(std::make_shared<std::optional<comparison::EarlierRenders>>()),
      m_background(background) {
    setWindowTitle(tr("Render a matrix"));
    auto* view = new WideColumnView;
    view->setModel(m_table);
    view->setAccessibleName(tr("The renders, in their order"));
    view->setWideColumn(MatrixTable::Prompt);
    auto* columns = new QSplitter;
    columns->addWidget(buildAxes());
    columns->addWidget(view);
    columns->setStretchFactor(1, 1);
    m_problem->setObjectName("problem");
    m_problem->setWordWrap(true);
    m_reuse->setChecked(true);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
    m_start = buttons->addButton(tr("Start"), QDialogButtonBox::AcceptRole);
    m_start->setObjectName("primary");
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(columns, 1);
    layout->addWidget(m_problem);
    layout->addWidget(m_reuse);
    layout->addWidget(m_summary);
    layout->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_start, &QPushButton::clicked, this, &MatrixDialog::start);
    connect(m_reuse, &QCheckBox::toggled, this, &MatrixDialog::showSummary);
    m_due.setSingleShot(true);
    m_due.setInterval(kExpandMs);
    connect(&m_due, &QTimer::timeout, this, &MatrixDialog::expand);
    const auto soon = [this] { expandSoon(); };
    connect(m_prompts, &QPlainTextEdit::textChanged, this, soon);
    for (QLineEdit* line : {m_seeds, m_steps, m_stepCaches})
        connect(line, &QLineEdit::textChanged, this, soon);
    for (QListWidget* list : {m_models, m_backends, m_policyList})
        connect(list, &QListWidget::itemChanged, this, soon);
    fillLists();
    resize(1240, 640);
    expand();
}

QWidget* MatrixDialog::buildAxes() {
    auto* axes = new QWidget;
    auto* form = new QFormLayout(axes);
    form->setRowWrapPolicy(QFormLayout::WrapAllRows);
    form->setContentsMargins(0, 0, 8, 0);
    m_prompts->setTabChangesFocus(true);
    m_prompts->setMaximumHeight(kListHeight);
    m_seeds->setPlaceholderText(tr("42, 100-103"));
    m_steps->setPlaceholderText(tr("10, 20"));
    m_stepCaches->setPlaceholderText("0, 0.28, taylorseer:3");
    auto* policy = new QPushButton(tr("Add a policy file…"));
    connect(policy, &QPushButton::clicked, this, [this] {
        if (const auto file = askForPolicyFile(this); !file.empty()) addPolicy(file);
    });
    form->addRow(tr("Prompts, one a line"), m_prompts);
    form->addRow(tr("Seeds"), m_seeds);
    form->addRow(tr("Steps"), m_steps);
    form->addRow(tr("Step caches"), m_stepCaches);
    form->addRow(tr("Models"), m_models);
    form->addRow(tr("Backends"), m_backends);
    form->addRow(tr("Policies"), m_policyList);
    form->addRow(policy);
    return axes;
}

void MatrixDialog::fillLists() {
    const protocol::RenderRequest& request = m_sources.request;
    m_prompts->setPlainText(QString::fromStdString(request.prompt));
    m_seeds->setText(QString::number(request.seed));
    if (request.numInferenceSteps) m_steps->setText(QString::number(*request.numInferenceSteps));
    for (const families::ModelInfo& model : m_sources.models)
        addTo(m_models, QString::fromStdString(model.title), model.id == request.model);
    for (const QString& backend : m_sources.backends)
        addTo(m_backends, backend, m_sources.checkedBackends.contains(backend));
    addTo(m_policyList, tr("none"), request.attentionPolicy.empty());
    m_policies.push_back({});
    if (request.attentionPolicy.empty()) return;
    m_policies.push_back({tr("the request's").toStdString(), request.attentionPolicy});
    addTo(m_policyList, tr("the request's"), true);
}

void MatrixDialog::setPrompts(const QStringList& prompts) {
    m_prompts->setPlainText(prompts.join('\n'));
}

void MatrixDialog::setSeeds(const QString& seeds) {
    m_seeds->setText(seeds);
}

void MatrixDialog::setSteps(const QString& steps) {
    m_steps->setText(steps);
}

void MatrixDialog::setStepCaches(const QString& caches) {
    m_stepCaches->setText(caches);
}

void MatrixDialog::setReuse(bool reuse) {
    m_reuse->setChecked(reuse);
}

void MatrixDialog::addPolicy(const std::filesystem::path& file) {
    auto policy = protocol::readAttentionPolicy(file);
    if (!policy) {
        m_problem->setText(QString::fromStdString(policy.error().message));
        return m_problem->show();
    }
    m_policies.push_back({file.stem().string(), *std::move(policy)});
    addTo(m_policyList, QString::fromStdString(file.stem().string()), true);
    expandSoon();
}

void MatrixDialog::expandSoon() {
    m_complete = false;
    ++m_look;  // what is found for the table of now comes too late
    m_due.start();
    showSummary();
}

Result<comparison::MatrixAxes> MatrixDialog::axes() const {
    comparison::MatrixAxes axes;
    for (const QString& line : m_prompts->toPlainText().split('\n'))
        if (!line.trimmed().isEmpty()) axes.prompts.push_back(line.trimmed().toStdString());
    auto seeds = comparison::numbersFrom(m_seeds->text().toStdString(), 0, "seeds");
    if (!seeds) return seeds.error();
    axes.seeds = *std::move(seeds);
    const auto steps = comparison::numbersFrom(m_steps->text().toStdString(), 1, "steps");
    if (!steps) return steps.error();
    for (const std::uint64_t count : *steps)
        axes.steps.push_back(int(std::min<std::uint64_t>(count, 100000)));
    auto caches = comparison::stepCachesFrom(m_stepCaches->text().toStdString());
    if (!caches) return caches.error();
    axes.stepCaches = *std::move(caches);
    for (int row = 0; row < m_models->count(); ++row)
        if (isChecked(m_models, row)) axes.models.push_back(m_sources.models[std::size_t(row)]);
    for (int row = 0; row < m_backends->count(); ++row)
        if (isChecked(m_backends, row)) axes.backends.push_back(m_backends->item(row)->text().toStdString());
    for (int row = 0; row < m_policyList->count(); ++row)
        if (isChecked(m_policyList, row)) axes.policies.push_back(m_policies[std::size_t(row)]);
    if (axes.models.empty()) return Error{ErrorCode::BadUsage, "models: at least one was needed"};
    if (axes.backends.empty()) return Error{ErrorCode::BadUsage, "backends: at least one was needed"};
    if (axes.policies.empty())
        return Error{ErrorCode::BadUsage, "policies: at least one, or none of them, was needed"};
    return axes;
}

void MatrixDialog::expand() {
    m_due.stop();
    std::vector<MatrixRow> rows;
    const auto chosen = axes();
    auto jobs = chosen ? comparison::matrixJobs(m_sources.request, *chosen, m_sources.machine)
                       : Result<std::vector<comparison::MatrixJob>>(chosen.error());
    if (jobs)
        for (comparison::MatrixJob& job : *jobs) {
            const families::ModelInfo& model = chosen->models[job.model];
            MatrixRow row{std::move(job), QString::fromStdString(model.title)};
            if (const auto settings = catalog::resolveSettings(row.job.request, model, m_sources.machine))
                row.steps = settings->numInferenceSteps;
            rows.push_back(std::move(row));
        }
    m_problem->setText(jobs ? QString() : QString::fromStdString(jobs.error().message));
    m_problem->setVisible(!jobs);
    m_table->setRows(std::move(rows));
    showSummary();
    if (!jobs) return;
    lookForEarlier();
    askForMemory();
}

/// Once for all rows that differ in nothing that it depends on.
void MatrixDialog::askForMemory() {
    for (const MatrixRow& row : m_table->rows()) {
        const std::string key = forecastKey(row.job.request);
        if (!m_asked.insert(key).second) continue;
        m_sources.forecast(row.job.request,
                           [dialog = QPointer(this), key](const Result<protocol::RenderForecast>& forecast) {
                               if (dialog) dialog->m_table->setForecast(key, forecast);
                           });
    }
}

/// Fills in estimates and identical renders, unless the table was changed meanwhile.
void MatrixDialog::lookForEarlier() {
    const int look = ++m_look;
    const auto models = axes()->models;
    m_background->run([dialog = QPointer(this), look, models, rows = m_table->rows(), earlier = m_earlier,
                       results = m_sources.results, machine = m_sources.machine](
                          const std::stop_token& stop) -> BackgroundThread::Completion {
        if (!*earlier) earlier->emplace(results, stop);
        auto found = rows;
        for (MatrixRow& row : found) {
            if (stop.stop_requested()) break;
            const families::ModelInfo& model = models[row.job.model];
            const auto settings = catalog::resolveSettings(row.job.request, model, machine);
            if (!settings) continue;
            row.estimate = (*earlier)->estimate(model.id, *settings);
            row.identical = (*earlier)->identical(row.job.request, *settings, model);
        }
        return [dialog, look, found = std::move(found)] {
            if (dialog) dialog->takeEarlier(look, found);
        };
    });
}

void MatrixDialog::takeEarlier(int look, const std::vector<MatrixRow>& rows) {
    if (look != m_look) return;  // of a table that is no more
    m_table->setRows(rows);
    m_complete = true;
    showSummary();
}

void MatrixDialog::showSummary() {
    QString words = m_table->summary(m_reuse->isChecked());
    if (!m_complete && problem().isEmpty()) words += tr(" – looking through earlier renders…");
    m_summary->setText(words);
    m_start->setEnabled(problem().isEmpty() && !m_table->rows().empty() &&
                        (m_complete || !m_reuse->isChecked()));
}

QString MatrixDialog::problem() const {
    return m_problem->text();
}

void MatrixDialog::start() {
    if (m_due.isActive()) expand();
    if (!m_start->isEnabled()) return;
    std::vector<MatrixRow> rows = m_table->rows();
    if (!m_reuse->isChecked())
        for (MatrixRow& row : rows) row.identical.clear();
    Q_EMIT started(rows, axes()->models);
    accept();
}

}  // namespace reelgrid::studio
