#include "widgets/charts/backend_map.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <cmath>
#include <limits>

#include "widgets/charts/plot_message.h"
#include "widgets/charts/plot_style.h"
#include "widgets/theme/local_number.h"
#include "widgets/theme/qt_text.h"
#include "widgets/theme/theme.h"

namespace reelgrid::widgets {

namespace {

bool isServed(const protocol::BackendChoice& choice) {
    return choice.requested == choice.used;
}

HeatCategory categoryOf(const protocol::BackendChoice& choice) {
    if (isServed(choice)) return {text(choice.used), backendColor(text(choice.used))};
    return {QObject::tr("%1, ran %2").arg(text(choice.requested), text(choice.used)), theme::kWrong};
}

QString moduleName(const protocol::CallMap& map) {
    const QString kind = protocol::infoOf(map.kind).phrase;
    return map.branch ? QString("%1, %2").arg(kind, protocol::nameOf(*map.branch)) : kind;
}

}  // namespace

BackendMap::BackendMap(QWidget* parent)
    : QWidget(parent),
      m_render(new QComboBox),
      m_module(new QComboBox),
      m_legend(new LegendRow),
      m_plot(new HeatMapPlot),
      m_message(new PlotMessage(m_plot->plot())) {
    m_render->setAccessibleName(tr("Whose calls"));
    m_module->setAccessibleName(tr("Which attention"));
    auto* choice = new QHBoxLayout;
    choice->setSpacing(6);
    choice->addWidget(m_render, 1);
    choice->addWidget(m_module, 1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    layout->addLayout(choice);
    layout->addWidget(m_legend);
    layout->addWidget(m_plot, 1);
    m_plot->setReading([this](int step, int layer) { return readingOf(step, layer); });
    connect(m_render, &QComboBox::currentIndexChanged, this, &BackendMap::listModules);
    connect(m_module, &QComboBox::currentIndexChanged, this, &BackendMap::showCalls);
    showCalls();
}

void BackendMap::setRenders(std::vector<RenderCalls> renders) {
    const QString before = m_render->currentText();
    m_renders = std::move(renders);
    std::erase_if(m_renders, [](const RenderCalls& render) { return render.calls.maps.empty(); });
    {
        const QSignalBlocker quiet(m_render);
        m_render->clear();
        for (const RenderCalls& render : m_renders) m_render->addItem(render.name);
        const int same = m_render->findText(before);
        m_render->setCurrentIndex(same >= 0 ? same : m_render->count() > 1 ? 1 : 0);
    }
    listModules();
}

void BackendMap::listModules() {
    const QString before = m_module->currentText();
    {
        const QSignalBlocker quiet(m_module);
        m_module->clear();
        if (calls() != nullptr)
            for (const protocol::CallMap& each : calls()->maps) m_module->addItem(moduleName(each));
        m_module->setCurrentIndex(std::max(0, m_module->findText(before)));
    }
    showCalls();
}

const protocol::CallMaps* BackendMap::calls() const {
    const int index = m_render->currentIndex();
    return index < 0 || index >= int(m_renders.size()) ? nullptr : &m_renders[std::size_t(index)].calls;
}

const protocol::CallMap* BackendMap::map() const {
    const int index = m_module->currentIndex();
    const protocol::CallMaps* all = calls();
    return all == nullptr || index < 0 || index >= int(all->maps.size()) ? nullptr
                                                                         : &all->maps[std::size_t(index)];
}

void BackendMap::showCalls() {
    const protocol::CallMap* shown = map();
    for (QWidget* each :
         {static_cast<QWidget*>(m_render), static_cast<QWidget*>(m_module), static_cast<QWidget*>(m_legend)})
        each->setVisible(shown != nullptr);
    m_message->say(shown != nullptr
                       ? QString()
                       : tr("Which backend served each layer in each step appears with the first "
                            "clip that was rendered by this version."));
    if (shown == nullptr) return m_plot->setCells({});
    HeatMapCells cells{.columns = shown->steps,
                       .rows = shown->layers,
                       .values = {},
                       .columnName = tr("step"),
                       .rowName = tr("layer"),
                       .valueName = {}};
    for (int layer = 0; layer < shown->layers; ++layer)
        for (int step = 0; step < shown->steps; ++step) {
            const int choice = shown->at(layer, step);
            cells.values.push_back(choice < 0 ? std::numeric_limits<double>::quiet_NaN() : double(choice));
        }
    std::vector<LegendRow::Item> items;
    for (int i = 0; i < int(calls()->choices.size()); ++i) {
        cells.categories.push_back(categoryOf(calls()->choices[std::size_t(i)]));
        const auto count = std::ranges::count(shown->sites, i);
        if (count > 0)
            items.push_back(
                {cells.categories.back().color, cells.categories.back().name,
                 QString("%1 %").arg(fixedText(100.0 * double(count) / double(shown->sites.size()),
                                               count == std::ssize(shown->sites) ? 0 : 1))});
    }
    m_legend->setItems(std::move(items));
    m_plot->setCells(std::move(cells));
}

QString BackendMap::readingOf(int step, int layer) const {
    const protocol::CallMap* shown = map();
    if (shown == nullptr || layer >= shown->layers || step >= shown->steps) return {};
    const QString place = tr("layer %1, step %2: ").arg(layer).arg(step);
    const int index = shown->at(layer, step);
    if (index < 0) return place + tr("no call");
    const protocol::BackendChoice& choice = calls()->choices[std::size_t(index)];
    QString words = isServed(choice)
                        ? text(choice.used)
                        : tr("asked for %1, ran %2").arg(text(choice.requested), text(choice.used));
    if (!choice.why.empty()) words += QString("\n%1").arg(text(choice.why));
    return place + words;
}

}  // namespace reelgrid::widgets
