#include "widgets/panels/sampling_fields.h"

#include <QCheckBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>

#include "widgets/panels/form_parts.h"

namespace reelgrid::widgets {

SamplingFields::SamplingFields(QWidget* parent)
    : RequestFields(parent),
      m_seed(new QLineEdit("42")),
      m_steps(numberBox(tr("Steps"), "--num-inference-steps")),
      m_guidance(new RealBox(tr("Guidance"), "--guidance-scale")),
      m_dynamicGuidance(new QCheckBox(tr("Dynamic"))),
      m_width(numberBox(tr("Width"), "--width")),
      m_height(numberBox(tr("Height"), "--height")),
      m_frames(numberBox(tr("Frames"), "--num-frames")) {
    m_seed->setAccessibleName(tr("Seed"));
    setOption(m_seed, "--seed");
    m_dynamicGuidance->setAccessibleName(tr("Dynamic guidance"));
    m_dynamicGuidance->setToolTip(
        tr("Guidance follows the steps, from 1 on, by the formula of the model's reference"));
    setOption(m_dynamicGuidance, "--use-dynamic-cfg");
    m_dynamicGuidance->hide();

    auto* size = new QHBoxLayout;
    size->setSpacing(5);
    size->addWidget(m_width, 1);
    size->addWidget(quiet(QChar(0xd7)));
    size->addWidget(m_height, 1);
    auto* numbers = new QGridLayout(this);
    numbers->setContentsMargins(0, 0, 0, 0);
    numbers->setHorizontalSpacing(8);
    numbers->setVerticalSpacing(6);
    numbers->addWidget(quiet(tr("Size")), 0, 0);
    numbers->addLayout(size, 0, 1);
    numbers->addWidget(quiet(tr("Frames")), 0, 2);
    numbers->addWidget(m_frames, 0, 3);
    numbers->addWidget(quiet(tr("Seed")), 1, 0);
    numbers->addWidget(m_seed, 1, 1);
    numbers->addWidget(quiet(tr("Steps")), 1, 2);
    numbers->addWidget(m_steps, 1, 3);
    numbers->addWidget(quiet(tr("Guidance")), 2, 0);
    numbers->addWidget(m_guidance, 2, 1);
    numbers->addWidget(m_dynamicGuidance, 2, 2, 1, 2);
    numbers->setColumnStretch(1, 2);
    numbers->setColumnStretch(3, 1);

    for (QSpinBox* box : {m_steps, m_width, m_height, m_frames})
        connect(box, &QSpinBox::valueChanged, this, &SamplingFields::edited);
    connect(m_guidance, &QDoubleSpinBox::valueChanged, this, &SamplingFields::edited);
    connect(m_dynamicGuidance, &QCheckBox::toggled, this, &SamplingFields::edited);
    connect(m_seed, &QLineEdit::textChanged, this, &SamplingFields::edited);
}

void SamplingFields::takeDefaults(const families::ModelInfo& model) {
    m_hasDefaults = true;
    m_width->setSingleStep(model.sizes.sizeMultiple);
    m_height->setSingleStep(model.sizes.sizeMultiple);
    m_frames->setSingleStep(model.frames.stride);
    m_width->setValue(model.defaults.width);
    m_height->setValue(model.defaults.height);
    m_frames->setValue(model.defaults.numFrames);
    m_steps->setValue(model.defaults.numInferenceSteps);
    m_guidance->setValue(model.defaults.guidanceScale);
    m_takesGuidance = model.takes("guidance_scale");
    m_guidance->setEnabled(m_takesGuidance);
    m_takesDynamicGuidance = model.takes("use_dynamic_cfg");
    m_dynamicGuidance->setVisible(m_takesDynamicGuidance);
    m_dynamicGuidance->setChecked(model.defaults.useDynamicCfg);
    for (QSpinBox* side : {m_width, m_height}) side->setEnabled(!model.isSizeFixed);
}

void SamplingFields::changeDefaults(const families::RenderDefaults& before,
                                    const families::RenderDefaults& now) {
    if (m_guidance->value() == before.guidanceScale) m_guidance->setValue(now.guidanceScale);
}

void SamplingFields::read(const protocol::RenderRequest& request) {
    m_width->setValue(request.width.value_or(m_width->value()));
    m_height->setValue(request.height.value_or(m_height->value()));
    m_frames->setValue(request.numFrames.value_or(m_frames->value()));
    m_steps->setValue(request.numInferenceSteps.value_or(m_steps->value()));
    m_guidance->setValue(request.guidanceScale.value_or(m_guidance->value()));
    m_dynamicGuidance->setChecked(request.useDynamicCfg);
    m_seed->setText(QString::number(request.seed));
}

void SamplingFields::write(protocol::RenderRequest& request) const {
    const auto put = [this](auto& field, auto value) {
        // Without a model's defaults a field that nobody filled shows a zero that nobody asked for.
        if (field || m_hasDefaults || value != 0) field = value;
    };
    put(request.width, m_width->value());
    put(request.height, m_height->value());
    put(request.numFrames, m_frames->value());
    put(request.numInferenceSteps, m_steps->value());
    if (m_takesGuidance) put(request.guidanceScale, m_guidance->value());
    request.useDynamicCfg = m_takesDynamicGuidance && m_dynamicGuidance->isChecked();
    request.seed = m_seed->text().toULongLong();
}

QString SamplingFields::problem() const {
    bool isNumber = false;
    m_seed->text().toULongLong(&isNumber);
    if (isNumber) return {};
    return QString("--seed %1: a whole number from 0 to 18446744073709551615 was needed").arg(m_seed->text());
}

}  // namespace reelgrid::widgets
