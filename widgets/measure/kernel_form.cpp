#include "widgets/measure/kernel_form.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QPushButton>
#include <QSpinBox>

#include "core/families/attention_presets.h"
#include "widgets/theme/qt_text.h"

namespace reelgrid::widgets {

namespace {

constexpr int kMostTurns = 10000;
constexpr int kMostInputs = 100000;
const char* const kDemoShape = "1,3,1296,128";

QSpinBox* countBox(int most, const QString& ifNone) {
    auto* box = new QSpinBox;
    box->setRange(0, most);
    box->setSpecialValueText(ifNone);
    return box;
}

}  // namespace

KernelForm::KernelForm(const std::vector<BackendChoice>& backends, const QStringList& devices,
                       QWidget* parent)
    : MeasureForm(tr("Times attention kernels in turns on the same input and holds each against float64. "
                     "sdpa is always among them."),
                  parent),
      m_input(new QComboBox),
      m_distribution(new QComboBox),
      m_dtype(new QComboBox),
      m_device(new QComboBox),
      m_repetitions(countBox(kMostTurns, tr("as many as a second takes"))),
      m_mostInputs(countBox(kMostInputs, tr("all"))),
      m_causal(new QCheckBox(tr("Causal mask"))),
      m_backends(new BackendBoxes) {
    m_input->setEditable(true);
    m_input->addItem(kDemoShape);
    m_input->setItemData(0, tr("the demo model's self-attention"), Qt::ToolTipRole);
    for (const families::AttentionPreset& preset : families::attentionPresets()) {
        m_input->addItem(text(preset.name));
        m_input->setItemData(m_input->count() - 1, text(preset.shape) + '\n' + text(preset.origin),
                             Qt::ToolTipRole);
    }
    m_input->setToolTip(tr("B,H,N,D or B,H,N,D,Nk; a model's name; or a folder of captures"));
    m_distribution->addItems({"normal", "transformer", "outlier", "sink"});
    m_dtype->addItems({tr("bf16, or the captures' own"), "fp32", "bf16", "fp16"});
    m_device->addItems(devices);
    m_backends->setBackends(backends);
    auto* choose = new QPushButton(tr("Captures…"));
    connect(choose, &QPushButton::clicked, this, &KernelForm::chooseFolder);
    auto* inputRow = new QHBoxLayout;
    inputRow->addWidget(m_input, 1);
    inputRow->addWidget(choose);
    fields()->addRow(tr("Input"), inputRow);
    fields()->addRow(tr("Made-up values"), m_distribution);
    fields()->addRow(tr("Captures at most"), m_mostInputs);
    fields()->addRow(tr("dtype"), m_dtype);
    fields()->addRow(tr("Device"), m_device);
    fields()->addRow(tr("Turns"), m_repetitions);
    fields()->addRow({}, m_causal);
    fields()->addRow(tr("Kernels"), m_backends);
}

void KernelForm::setInput(const QString& input) {
    m_input->setEditText(input);
}

void KernelForm::chooseFolder() {
    const QString folder = QFileDialog::getExistingDirectory(this, tr("Folder of captures"));
    if (!folder.isEmpty()) setInput(folder);
}

bool KernelForm::isFolder() const {
    return QFileInfo(m_input->currentText()).isDir();
}

QString KernelForm::title() const {
    const QString input = m_input->currentText();
    return tr("Kernels on %1").arg(isFolder() ? QFileInfo(input).fileName() : input);
}

QStringList KernelForm::arguments() const {
    QStringList words{"bench", "attention", "--json", "--device=" + m_device->currentText()};
    if (isFolder()) {
        words << "--input-dir=" + m_input->currentText();
        if (m_mostInputs->value() > 0) words << "--max-inputs=" + QString::number(m_mostInputs->value());
    } else {
        words << "--shape=" + m_input->currentText().trimmed()
              << "--distribution=" + m_distribution->currentText();
    }
    if (m_dtype->currentIndex() > 0) words << "--dtype=" + m_dtype->currentText();
    if (m_repetitions->value() > 0) words << "--num-repetitions=" + QString::number(m_repetitions->value());
    if (m_causal->isChecked()) words << "--causal";
    if (const QStringList kernels = m_backends->checked(); !kernels.isEmpty())
        words << "--kernel=" + kernels.join(',');
    return words;
}

}  // namespace reelgrid::widgets
