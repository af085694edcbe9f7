#include "widgets/measure/tune_form.h"

#include <QComboBox>
#include <QFormLayout>
#include <QLabel>
#include <QSpinBox>

namespace reelgrid::widgets {

TuneForm::TuneForm(const std::vector<BackendChoice>& backends, const QStringList& render,
                   const QString& about, QWidget* parent)
    : MeasureForm(
          tr("Looks for the fastest backend of every layer and step whose clip stays within the budget, "
             "against sdpa. Renders sdpa, each backend, and some policies."),
          parent),
      m_render(render),
      m_budget(new QComboBox),
      m_renders(new QSpinBox),
      m_backends(new BackendBoxes) {
    m_budget->setEditable(true);
    m_budget->addItems({"psnr>=40", "psnr>=35", "psnr>=30", "ssim>=0.98", "l1<=0.05", "cosine>=0.999"});
    m_budget->setToolTip(tr("psnr>=DB or ssim>=N of the frames, l1<=N or cosine>=N of the final latents"));
    m_renders->setRange(1, 100);
    m_renders->setValue(4);
    m_backends->setBackends(backends);
    auto* subject = new QLabel(about);
    subject->setTextFormat(Qt::PlainText);
    subject->setWordWrap(true);
    fields()->addRow(tr("Render"), subject);
    fields()->addRow(tr("Budget"), m_budget);
    fields()->addRow(tr("Policies at most"), m_renders);
    fields()->addRow(tr("Backends"), m_backends);
}

void TuneForm::setBudget(const QString& budget) {
    m_budget->setEditText(budget);
}

QString TuneForm::title() const {
    return tr("Policy within %1").arg(m_budget->currentText());
}

QStringList TuneForm::arguments() const {
    QStringList words{"tune", "--json", "--budget=" + m_budget->currentText().trimmed(),
                      "--max-renders=" + QString::number(m_renders->value())};
    if (const QStringList names = m_backends->checked(); !names.isEmpty())
        words << "--backends=" + names.join(',');
    return words + m_render;
}

}  // namespace reelgrid::widgets
