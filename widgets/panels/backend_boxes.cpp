#include "widgets/panels/backend_boxes.h"

#include <QCheckBox>
#include <QPixmap>
#include <QVBoxLayout>

#include "widgets/theme/theme.h"

namespace reelgrid::widgets {

namespace {

QIcon swatchOf(const QString& backend) {
    QPixmap swatch(10, 10);
    swatch.fill(backendColor(backend));
    return swatch;
}

}  // namespace

BackendBoxes::BackendBoxes(QWidget* parent) : QWidget(parent), m_column(new QVBoxLayout(this)) {
    connect(new ThemeWatch(this), &ThemeWatch::changed, this, [this] {
        for (const auto& [name, box] : m_boxes) box->setIcon(swatchOf(name));
    });
    m_column->setContentsMargins(0, 0, 0, 0);
    m_column->setSpacing(5);
}

void BackendBoxes::setBackends(const std::vector<BackendChoice>& backends) {
    for (auto& [name, box] : m_boxes) delete box;
    m_boxes.clear();
    for (const BackendChoice& backend : backends) {
        auto* box = new QCheckBox(backend.title);
        box->setToolTip(
            QString("<p>%1</p>").arg(backend.description.toHtmlEscaped().replace("\n", "</p><p>")));
        box->setIcon(swatchOf(backend.name));
        box->setIconSize({10, 10});
        box->setChecked(backend.checkedAtFirst);
        connect(box, &QCheckBox::toggled, this, &BackendBoxes::edited);
        m_column->addWidget(box);
        m_boxes.emplace_back(backend.name, box);
    }
    Q_EMIT edited();
}

QStringList BackendBoxes::checked() const {
    QStringList names;
    for (const auto& [name, box] : m_boxes)
        if (box->isChecked()) names.append(name);
    return names;
}

void BackendBoxes::setChecked(const QStringList& names) {
    for (const auto& [name, box] : m_boxes) box->setChecked(names.contains(name));
}

}  // namespace reelgrid::widgets
