#include "widgets/measure/measure_form.h"

#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace reelgrid::widgets {

MeasureForm::MeasureForm(const QString& about, QWidget* parent)
    : QWidget(parent), m_fields(new QFormLayout), m_start(new QPushButton(tr("Measure"))) {
    auto* words = new QLabel(about);
    words->setObjectName("quiet");
    words->setWordWrap(true);
    m_fields->setFieldGrowthPolicy(QFormLayout::ExpandingFieldsGrow);
    m_start->setObjectName("primary");
    connect(m_start, &QPushButton::clicked, this, &MeasureForm::submitted);
    auto* column = new QVBoxLayout(this);
    column->addWidget(words);
    column->addLayout(m_fields);
    column->addStretch();
    column->addWidget(m_start);
}

void MeasureForm::setObstacle(const QString& why) {
    m_start->setEnabled(why.isEmpty());
    m_start->setToolTip(why);
}

}  // namespace reelgrid::widgets
