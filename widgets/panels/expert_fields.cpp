#include "widgets/panels/expert_fields.h"

#include <QHBoxLayout>
#include <QLabel>

#include "widgets/panels/form_parts.h"

namespace reelgrid::widgets {

ExpertFields::ExpertFields(QWidget* parent)
    : RequestFields(parent),
      m_guidance(new RealBox(tr("Guidance of the low-noise expert"), "--guidance-scale-2")) {
    m_guidance->setToolTip(tr("Guidance of the second expert, which makes the last steps"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(8);
    row->addWidget(quiet(tr("Low-noise guidance")));
    row->addWidget(m_guidance, 1);
    connect(m_guidance, &QDoubleSpinBox::valueChanged, this, &ExpertFields::edited);
    hide();
}

namespace {

double guidanceOf(const families::RenderDefaults& defaults) {
    return defaults.guidanceScale2.value_or(defaults.guidanceScale);
}

}  // namespace

void ExpertFields::takeDefaults(const families::ModelInfo& model) {
    m_hasTwo = model.takes("guidance_scale_2");
    setVisible(m_hasTwo);
    m_guidance->setValue(guidanceOf(model.defaults));
}

void ExpertFields::changeDefaults(const families::RenderDefaults& before,
                                  const families::RenderDefaults& now) {
    if (m_guidance->value() == guidanceOf(before)) m_guidance->setValue(guidanceOf(now));
}

/// As on the command line, one guidance that is asked for is both experts'.
void ExpertFields::read(const protocol::RenderRequest& request) {
    if (request.guidanceScale2)
        m_guidance->setValue(*request.guidanceScale2);
    else if (request.guidanceScale)
        m_guidance->setValue(*request.guidanceScale);
}

/// Always said where there are two: without it the first expert's would hold, which the editor always says.
void ExpertFields::write(protocol::RenderRequest& request) const {
    if (m_hasTwo)
        request.guidanceScale2 = m_guidance->value();
    else
        request.guidanceScale2.reset();
}

}  // namespace reelgrid::widgets
