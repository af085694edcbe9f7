#include "widgets/panels/execution_fields.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSpinBox>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "core/devices/gpu_choice.h"
#include "core/protocol/render_fields.h"
#include "widgets/panels/form_parts.h"

namespace reelgrid::widgets {

namespace {

constexpr devices::ComputeCapability kFp8Capability{8, 9};

QComboBox* named(const QString& name, const char* option) {
    auto* box = new QComboBox;
    box->setAccessibleName(name);
    box->setMinimumWidth(44);
    setOption(box, option);
    return box;
}

/// Name and field, twice.
QWidget* rowOf(const QString& first, QWidget* firstField, const QString& second, QWidget* secondField) {
    auto* widget = new QWidget;
    auto* row = new QHBoxLayout(widget);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(8);
    row->addWidget(quiet(first));
    row->addWidget(firstField, 1);
    if (secondField != nullptr) {
        row->addWidget(quiet(second));
        row->addWidget(secondField, 1);
    }
    return widget;
}

/// What runs where a request names `device`: a GPU, or nothing for the processor.
const devices::Gpu* gpuOf(const std::string& device, const devices::GpuSurvey& survey) {
    const auto& gpus = survey.gpus;
    for (const devices::DeviceName& usable : devices::usableDevices(survey)) {
        if (usable.kind == devices::DeviceKind::Cpu) continue;
        const auto wanted = devices::deviceNamed(device);
        if (!device.empty() && (!wanted || *wanted != usable)) continue;
        const auto found = std::ranges::find(gpus, usable.index, &devices::Gpu::index);
        if (found != gpus.end()) return &*found;
    }
    return nullptr;
}

}  // namespace

ExecutionFields::ExecutionFields(devices::GpuSurvey gpus, QWidget* parent)
    : RequestFields(parent),
      m_gpus(std::move(gpus)),
      m_offload(named(tr("Offload"), "--offload")),
      m_tiling(named(tr("Tiles of the VAE"), "--vae-tiling")),
      m_tilePixels(numberBox(tr("Pixels of a tile"), "--vae-tile-px")),
      m_saveEvery(numberBox(tr("Steps between kept ones"), "--save-latents-every")),
      m_keepFrames(
          checkBox(tr("Keep frames without loss"), "--keep-frames",
                   tr("Beside each clip, about half as large as its pixels: what tiles, differences and "
                      "measurements read in the place of the encoded clip"))),
      m_fp8(
          checkBox(tr("FP8 products"), "--use-fp8-gemms",
                   tr("The linear layers' products in e4m3: faster on GPUs from Ada and Hopper on, with some "
                      "loss. Elsewhere the rounded values are multiplied in the number format above"))),
      m_bf16Time(checkBox(tr("bf16 time embedding"), "--use-bf16-te-gemms",
                          tr("The time embedding's two products in bf16; else they are fp32"))),
      m_graphs(checkBox(tr("CUDA graphs"), "--use-torch-compile",
                        tr("Each denoising pass as one CUDA graph: less work for the processor"))) {
    m_offload->addItem(tr("automatic"), protocol::kOffloadAuto);
    m_offload->addItem(tr("no"), protocol::kOffloadNone);
    m_offload->addItem(tr("blocks"), protocol::kOffloadBlocks);
    m_offload->setToolTip(
        tr("Where the model's blocks are while they aren't needed: on a GPU in host memory, on the "
           "processor in their file. Automatic: where the whole model doesn't fit"));
    m_tiling->addItem(tr("automatic"), protocol::kTilingAuto);
    m_tiling->addItem(tr("always"), protocol::kTilingOn);
    m_tiling->addItem(tr("never"), protocol::kTilingOff);
    m_tiling->setToolTip(
        tr("Decode in overlapping tiles, which takes less memory. Automatic: where the whole doesn't fit"));
    m_tilePixels->setSpecialValueText(QString::number(protocol::kTilePixels));
    m_tilePixels->setToolTip(tr("Along an edge"));
    m_saveEvery->setSpecialValueText(tr("never"));
    m_saveEvery->setToolTip(
        tr("So many steps lie between two that an interrupted render can be taken up from"));

    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(6);
    m_offloadRow = rowOf(tr("Offload"), m_offload, {}, nullptr);
    m_tilingRow = rowOf(tr("Tiles"), m_tiling, tr("of px"), m_tilePixels);
    column->addWidget(m_offloadRow);
    column->addWidget(m_tilingRow);
    column->addWidget(rowOf(tr("Keep steps: every"), m_saveEvery, {}, nullptr));
    for (QCheckBox* box : {m_keepFrames, m_fp8, m_bf16Time, m_graphs}) column->addWidget(box);

    for (QComboBox* box : {m_offload, m_tiling})
        connect(box, &QComboBox::currentIndexChanged, this, &ExecutionFields::edited);
    for (QSpinBox* box : {m_tilePixels, m_saveEvery})
        connect(box, &QSpinBox::valueChanged, this, &ExecutionFields::edited);
    for (QCheckBox* box : {m_keepFrames, m_fp8, m_bf16Time, m_graphs})
        connect(box, &QCheckBox::toggled, this, &ExecutionFields::edited);
    read({});
    setDevice({});
}

void ExecutionFields::setDevice(const std::string& device) {
    const devices::Gpu* gpu = gpuOf(device, m_gpus);
    m_onGpu = gpu != nullptr;
    m_multipliesFp8 = gpu != nullptr && gpu->capability >= kFp8Capability;
    showOffered();
}

void ExecutionFields::showOffered() {
    m_offloadRow->setVisible(m_takesOffload);
    m_tilingRow->setVisible(m_takesTiling);
    m_fp8->setVisible(m_takesFp8 && (m_multipliesFp8 || m_fp8->isChecked()));
    m_bf16Time->setVisible(m_takesBf16Time);
    m_graphs->setVisible(m_onGpu || m_graphs->isChecked());
}

void ExecutionFields::takeDefaults(const families::ModelInfo& model) {
    m_takesOffload = model.takes("offload");
    m_takesTiling = model.takes("vae_tiling");
    m_takesFp8 = model.takes("use_fp8_gemms");
    m_takesBf16Time = model.takes("use_bf16_te_gemms");
    m_tilePixels->setSingleStep(model.sizes.sizeMultiple);
    showOffered();
}

void ExecutionFields::read(const protocol::RenderRequest& request) {
    choose(m_offload, request.offload);
    choose(m_tiling, request.vaeTiling.value_or(protocol::kTilingAuto));
    m_tilePixels->setValue(request.vaeTilePx.value_or(0));
    m_saveEvery->setValue(request.saveLatentsEvery);
    m_keepFrames->setChecked(request.keepFrames == protocol::kKeepLossless);
    m_fp8->setChecked(request.useFp8Gemms);
    m_bf16Time->setChecked(request.useBf16TeGemms);
    m_graphs->setChecked(request.useTorchCompile);
    showOffered();
}

void ExecutionFields::write(protocol::RenderRequest& request) const {
    request.offload = m_takesOffload ? chosenIn(m_offload) : protocol::kOffloadAuto;
    // The usual goes without saying.
    request.vaeTiling.reset();
    request.vaeTilePx.reset();
    if (m_takesTiling && chosenIn(m_tiling) != protocol::kTilingAuto) request.vaeTiling = chosenIn(m_tiling);
    if (m_takesTiling && m_tilePixels->value() > 0) request.vaeTilePx = m_tilePixels->value();
    request.saveLatentsEvery = m_saveEvery->value();
    request.keepFrames = m_keepFrames->isChecked() ? protocol::kKeepLossless : protocol::kKeepOff;
    request.useFp8Gemms = m_takesFp8 && m_fp8->isChecked();
    request.useBf16TeGemms = m_takesBf16Time && m_bf16Time->isChecked();
    request.useTorchCompile = m_graphs->isChecked();
}

bool ExecutionFields::hasOwnChoice() const {
    const protocol::RenderRequest usual;
    protocol::RenderRequest own;
    write(own);
    return own != usual;
}

}  // namespace reelgrid::widgets
