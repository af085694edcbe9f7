#include "widgets/panels/picture_fields.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>

#include "core/families/offered_tasks.h"
#include "widgets/panels/form_parts.h"
#include "widgets/panels/picture_slot.h"

namespace reelgrid::widgets {

using families::Need;
using families::Task;

namespace {

std::optional<std::string> pathIn(const PictureSlot* slot, Need need) {
    if (need == Need::No || slot->path().isEmpty()) return std::nullopt;
    return slot->path().toStdString();
}

/// "t2v" as a person says it.
QString wordsOf(const std::string& task) {
    if (task == "t2v") return QObject::tr("from text (t2v)");
    if (task == "i2v") return QObject::tr("from a picture (i2v)");
    if (task == "ti2v") return QObject::tr("from text, with or without a picture (ti2v)");
    return QString::fromStdString(task);
}

}  // namespace

PictureFields::PictureFields(QWidget* parent)
    : RequestFields(parent),
      m_task(new QComboBox),
      m_taskRow(new QWidget),
      m_first(new PictureSlot(tr("First picture"), "--img-file-path")),
      m_last(new PictureSlot(tr("Last picture"), "--last-img-file-path")),
      m_fit(new QComboBox) {
    m_task->setAccessibleName(tr("Task"));
    setOption(m_task, "--task");
    for (const auto& [words, fit] : {std::pair{tr("Keep its shape"), protocol::kKeepShape},
                                     std::pair{tr("Cut to width × height"), protocol::kCropPicture},
                                     std::pair{tr("Stretch to width × height"), protocol::kStretchPicture}})
        m_fit->addItem(words, QString(fit));
    m_fit->setAccessibleName(tr("A picture of another shape"));
    setOption(m_fit, "--picture-fit");
    m_fit->setToolTip(tr("Where its shape is kept the clip has the area of width × height"));
    buildLayout();
    connect(m_task, &QComboBox::currentIndexChanged, this, [this] {
        showTask();
        Q_EMIT edited();
    });
    for (PictureSlot* slot : {m_first, m_last}) {
        const Which which = slot == m_first ? Which::First : Which::Last;
        connect(slot, &PictureSlot::fileRequested, this, [this, which] { Q_EMIT fileRequested(which); });
        connect(slot, &PictureSlot::edited, this, [this, which, slot] {
            if (!slot->path().isEmpty()) Q_EMIT thumbnailRequested(slot->path());
            setPicture(which, slot->path());
        });
    }
    connect(m_fit, &QComboBox::currentIndexChanged, this, &PictureFields::edited);
    hide();
}

void PictureFields::buildLayout() {
    auto* row = new QHBoxLayout(m_taskRow);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(quiet(tr("Task")));
    row->addWidget(m_task, 1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 6, 0, 0);
    column->setSpacing(6);
    column->addWidget(heading(tr("PICTURE")));
    for (QWidget* part : std::initializer_list<QWidget*>{m_taskRow, m_first, m_last, m_fit})
        column->addWidget(part);
}

const Task* PictureFields::task() const {
    const std::string name = m_task->currentData().toString().toStdString();
    const auto found = std::ranges::find(m_tasks, name, &Task::name);
    return found == m_tasks.end() ? nullptr : &*found;
}

void PictureFields::chooseTask(const std::string& name) {
    m_task->setCurrentIndex(m_task->findData(QString::fromStdString(name)));
}

void PictureFields::showTask() {
    const Task* chosen = task();
    const auto show = [&](QWidget* part, Need Task::*need) {
        part->setVisible(chosen != nullptr && chosen->*need != Need::No);
    };
    show(m_first, &Task::image);
    show(m_last, &Task::lastImage);
    m_fit->setVisible(m_first->isVisibleTo(this));
    m_fit->setEnabled(!m_first->path().isEmpty());
}

void PictureFields::setPicture(Which which, const QString& path) {
    PictureSlot* slot = which == Which::First ? m_first : m_last;
    if (slot->path() != path) return slot->setPath(path);  // which says so here
    const auto need = which == Which::First ? &Task::image : &Task::lastImage;
    const Task* now = task();
    if (!path.isEmpty() && (now == nullptr || now->*need == Need::No)) {
        const auto taking =
            std::ranges::find_if(m_tasks, [&](const Task& each) { return each.*need != Need::No; });
        if (taking != m_tasks.end()) chooseTask(taking->name);
    }
    showTask();
    Q_EMIT edited();
}

void PictureFields::askForThumbnails() {
    for (const PictureSlot* slot : {m_first, m_last})
        if (!slot->path().isEmpty()) Q_EMIT thumbnailRequested(slot->path());
}

void PictureFields::setThumbnail(const QString& path, const QImage& image) {
    for (PictureSlot* slot : {m_first, m_last}) slot->setThumbnail(path, image);
}

void PictureFields::takeDefaults(const families::ModelInfo& model) {
    m_tasks = model.tasks;
    m_takesPictures = families::takesPictures(model);
    const QSignalBlocker quietly(m_task);
    m_task->clear();
    for (const Task& each : m_tasks) m_task->addItem(wordsOf(each.name), QString::fromStdString(each.name));
    chooseTask(model.defaults.task);
    m_taskRow->setVisible(m_tasks.size() > 1);
    setVisible(m_takesPictures);
    showTask();
}

void PictureFields::read(const protocol::RenderRequest& request) {
    const auto textOf = [](const std::optional<std::string>& path) {
        return QString::fromStdString(path.value_or(""));
    };
    m_first->setPath(textOf(request.imgFilePath));
    m_last->setPath(textOf(request.lastImgFilePath));
    const std::string fit =
        request.forceOutputSize ? std::string(protocol::kCropPicture) : request.pictureFit;
    m_fit->setCurrentIndex(std::max(0, m_fit->findData(QString::fromStdString(fit))));
    if (request.task && m_task->findData(QString::fromStdString(*request.task)) >= 0)
        chooseTask(*request.task);
    showTask();
}

void PictureFields::write(protocol::RenderRequest& request) const {
    const Task* chosen = task();
    if (chosen == nullptr) return;  // no model yet: what a session says stays
    // The model's own task goes without saying, unless it was said.
    const bool usual = m_tasks.front().name == chosen->name;
    if (request.task || !usual) request.task = chosen->name;
    request.imgFilePath = pathIn(m_first, chosen->image);
    request.lastImgFilePath = pathIn(m_last, chosen->lastImage);
    request.forceOutputSize = false;
    request.pictureFit =
        request.imgFilePath ? m_fit->currentData().toString().toStdString() : protocol::kKeepShape;
}

}  // namespace reelgrid::widgets
