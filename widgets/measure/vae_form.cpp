#include "widgets/measure/vae_form.h"

#include <QComboBox>
#include <QFormLayout>
#include <QLineEdit>
#include <QSpinBox>

namespace reelgrid::widgets {

namespace {

QSpinBox* numberField(int low, int high, int value, int step = 1) {
    auto* box = new QSpinBox;
    box->setRange(low, high);
    box->setValue(value);
    box->setSingleStep(step);
    return box;
}

}  // namespace

VaeForm::VaeForm(const QString& model, const QStringList& devices, QWidget* parent)
    : MeasureForm(
          tr("Encodes and decodes a made-up clip with a model's VAE alone. fp32 is always measured: what the "
             "others are held against."),
          parent),
      m_model(new QLineEdit(model)),
      m_frames(numberField(1, 4093, 21, 4)),
      m_size(new QLineEdit("832x480")),
      m_tile(numberField(16, 16384, 256, 16)),
      m_warmup(numberField(0, 1000, 1)),
      m_repetitions(numberField(1, 1000, 1)),
      m_device(new QComboBox),
      m_configurations(new BackendBoxes) {
    m_model->setToolTip(tr("demo, a hub id in the local cache, a diffusers folder or a .safetensors file"));
    m_device->addItems(devices);
    m_configurations->setBackends({{"bf16", "bf16", tr("weights and activations in bf16")},
                                   {"tiled fp32", tr("fp32 in tiles"), tr("as --vae-tiling on decodes")},
                                   {"tiled bf16", tr("bf16 in tiles"), {}}});
    fields()->addRow(tr("Model"), m_model);
    fields()->addRow(tr("Frames"), m_frames);
    fields()->addRow(tr("Size"), m_size);
    fields()->addRow(tr("Pixels of a tile"), m_tile);
    fields()->addRow(tr("Warm-up passes"), m_warmup);
    fields()->addRow(tr("Timed passes"), m_repetitions);
    fields()->addRow(tr("Device"), m_device);
    fields()->addRow(tr("Beside fp32"), m_configurations);
}

QString VaeForm::title() const {
    return tr("VAE %1, %2 frames").arg(m_size->text()).arg(m_frames->value());
}

QStringList VaeForm::arguments() const {
    return {"bench",
            "vae",
            "--json",
            "--model=" + m_model->text().trimmed(),
            "--frames=" + QString::number(m_frames->value()),
            "--size=" + m_size->text().trimmed(),
            "--tile-px=" + QString::number(m_tile->value()),
            "--warmup=" + QString::number(m_warmup->value()),
            "--num-repetitions=" + QString::number(m_repetitions->value()),
            "--device=" + m_device->currentText(),
            "--configurations=" + QStringList(QStringList{"fp32"} + m_configurations->checked()).join(',')};
}

}  // namespace reelgrid::widgets
