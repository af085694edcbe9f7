#include "widgets/measure/measure_form.h"

#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace reelgrid::widgets {

MeasureForm::MeasureForm(const QString& about, QWidget* parent) : QWidget(parent), m_fields(new QFormLayout) {
    auto* words = new QLabel(about);
    words->setObjectName("quiet");
    words->setWordWrap(true);
    m_fields->setFieldGrowthPolicy(QFormLayout::ExpandingFieldsGrow);
    auto* start = new QPushButton(tr("Measure"));
    start->setObjectName("primary");
    connect(start, &QPushButton::clicked, this, &MeasureForm::submitted);
    auto* column = new QVBoxLayout(this);
    column->addWidget(words);
    column->addLayout(m_fields);
    column->addStretch();
    column->addWidget(start);
}

}  // namespace reelgrid::widgets
