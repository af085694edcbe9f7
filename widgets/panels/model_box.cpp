#include "widgets/panels/model_box.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QPushButton>
#include <QSignalBlocker>
#include <algorithm>
#include <utility>

#include "core/catalog/model_catalog.h"
#include "widgets/panels/form_parts.h"
#include "widgets/theme/icons.h"

namespace reelgrid::widgets {

ModelBox::ModelBox(QWidget* parent)
    : RequestFields(parent), m_names(new QComboBox), m_folder(new QPushButton) {
    setOption(m_names, "--model");
    m_names->setAccessibleName(tr("Model"));
    m_names->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    m_names->setPlaceholderText(tr("Looking for models…"));
    m_folder->setIcon(icon(Glyph::Folder));
    m_folder->setToolTip(tr("Choose a model folder…"));
    m_folder->setAccessibleName(tr("Choose a model folder"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(m_names, 1);
    row->addWidget(m_folder);
    connect(m_names, &QComboBox::currentIndexChanged, this, &ModelBox::modelChosen);
    connect(m_folder, &QPushButton::clicked, this, &ModelBox::folderRequested);
}

void ModelBox::setModels(std::vector<families::ModelInfo> models) {
    const std::string earlier = chosen() == nullptr ? catalog::kDemoModel : chosen()->id;
    {
        const QSignalBlocker quietly(m_names);
        m_models = std::move(models);
        m_names->clear();
        for (const families::ModelInfo& each : m_models)
            m_names->addItem(QString::fromStdString(each.title.empty() ? each.id : each.title));
        const auto kept = std::ranges::find(m_models, earlier, &families::ModelInfo::id);
        m_names->setCurrentIndex(kept == m_models.end() ? int(m_models.size()) - 1
                                                        : int(kept - m_models.begin()));
        if (m_models.empty()) m_names->setPlaceholderText(tr("No model found: choose a folder"));
    }
    Q_EMIT modelChosen();
}

void ModelBox::addModel(const families::ModelInfo& added) {
    std::vector<families::ModelInfo> models = m_models;
    std::erase_if(models, [&](const families::ModelInfo& each) { return each.id == added.id; });
    models.push_back(added);
    setModels(std::move(models));
    m_names->setCurrentIndex(m_names->count() - 1);
}

bool ModelBox::knows(const std::string& id) const {
    return std::ranges::find(m_models, id, &families::ModelInfo::id) != m_models.end();
}

const families::ModelInfo* ModelBox::chosen() const {
    const int index = m_names->currentIndex();
    return index < 0 || index >= int(m_models.size()) ? nullptr : &m_models[std::size_t(index)];
}

void ModelBox::read(const protocol::RenderRequest& request) {
    const auto known = std::ranges::find(m_models, request.model, &families::ModelInfo::id);
    if (known != m_models.end()) m_names->setCurrentIndex(int(known - m_models.begin()));
}

void ModelBox::write(protocol::RenderRequest& request) const {
    if (chosen() == nullptr) return;
    request.model = chosen()->id;
    if (request.task && chosen()->task(*request.task) == nullptr) request.task = chosen()->defaults.task;
}

QString ModelBox::problem() const {
    return chosen() == nullptr ? tr("--model: choose a model, or a folder with one") : QString();
}

}  // namespace reelgrid::widgets
