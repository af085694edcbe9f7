#include "widgets/charts/chart_frame.h"

#include <qcustomplot.h>

#include <QCloseEvent>
#include <QComboBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QScreen>
#include <QSplitter>
#include <QStackedWidget>
#include <QSvgGenerator>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "core/base/pending_file.h"
#include "widgets/charts/plot_style.h"
#include "widgets/theme/theme.h"

namespace reelgrid::widgets {

namespace {

constexpr int kMargin = 12;
constexpr int kLeastWidth = 240;
constexpr int kHeadHeight = 22;
// A picture for a page or a talk has more pixels than the screen's.
constexpr double kPictureScale = 2;

Error cantWrite(const std::filesystem::path& file) {
    return {ErrorCode::Io, file.string() + ": can't be written"};
}

QSplitter* splitterOf(QWidget* widget) {
    return qobject_cast<QSplitter*>(widget->parentWidget());
}

void replace(QWidget* old, QWidget* with) {
    if (auto* splitter = splitterOf(old)) {
        splitter->replaceWidget(splitter->indexOf(old), with);
    } else if (old->parentWidget() != nullptr && old->parentWidget()->layout() != nullptr) {
        delete old->parentWidget()->layout()->replaceWidget(old, with);
    }
}

}  // namespace

ChartFrame::ChartFrame(const QString& heading, QWidget* parent)
    : QWidget(parent),
      m_heading(heading),
      m_choice(new QComboBox),
      m_head(new QHBoxLayout),
      m_legend(new LegendRow),
      m_stack(new QStackedWidget),
      m_menu(new QToolButton) {
    setObjectName("panel");
    setAttribute(Qt::WA_StyledBackground);
    // Less than its head with every button: a window can become so narrow that they go into the list.
    setMinimumWidth(theme::scaled(kLeastWidth));
    auto* title = new QLabel(heading);
    title->setObjectName("heading");
    m_head->setSpacing(4);
    m_head->addWidget(title);
    m_head->addStretch();
    m_head->addWidget(m_choice);
    m_head->addWidget(m_menu);
    m_choice->hide();
    m_choice->setAccessibleName(tr("View of the chart"));
    connect(m_choice, &QComboBox::activated, this, &ChartFrame::showPage);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(14, 8, 12, 8);
    layout->setSpacing(4);
    layout->addLayout(m_head);
    layout->addWidget(m_legend);
    layout->addWidget(m_stack, 1);
    buildMenu();
}

void ChartFrame::buildMenu() {
    m_menu->setObjectName("flat");
    m_menu->setText("⋯");
    m_menu->setToolTip(tr("Save or detach this chart"));
    m_menu->setAccessibleName(m_menu->toolTip());
    m_menu->setPopupMode(QToolButton::InstantPopup);
    m_menu->setStyleSheet("QToolButton { padding-right: 5px; } QToolButton::menu-indicator { image: none; }");
    auto* menu = new QMenu(m_menu);
    for (const char* ending : {"png", "svg", "csv"})
        menu->addAction(tr("Save as %1…").arg(QString(ending).toUpper()), this,
                        [this, ending] { askAndSave(ending); });
    menu->addSeparator();
    QAction* detachment =
        menu->addAction(tr("Detach"), this, [this] { isDetached() ? putBack() : detach(); });
    connect(menu, &QMenu::aboutToShow, this,
            [this, detachment] { detachment->setText(isDetached() ? tr("Put back") : tr("Detach")); });
    m_menu->setMenu(menu);
}

void ChartFrame::addToHead(QWidget* widget) {
    m_head->insertWidget(m_head->count() - 1, widget);
}

void ChartFrame::addPage(ChartPage page) {
    const int index = int(m_pages.size());
    auto* button = new QPushButton(page.title);
    button->setObjectName("segment");
    button->setCheckable(true);
    button->setChecked(index == 0);
    connect(button, &QPushButton::clicked, this, [this, index] { showPage(index); });
    m_buttons.push_back(button);
    addToHead(button);
    m_stack->addWidget(page.widget);
    m_pages.push_back(std::move(page));
    m_choice->addItem(m_pages.back().title);
    fitHead();
}

/// The views as buttons where all have room, else in a list.
void ChartFrame::fitHead() {
    const bool several = m_pages.size() > 1;
    int needed = layout()->contentsMargins().left() + layout()->contentsMargins().right();
    for (int i = 0; i < m_head->count(); ++i) {
        const QWidget* widget = m_head->itemAt(i)->widget();
        if (widget == nullptr || widget == m_choice) continue;
        const bool isButton =
            std::ranges::any_of(m_buttons, [widget](const QWidget* each) { return each == widget; });
        if (isButton || !widget->isHidden()) needed += widget->sizeHint().width() + m_head->spacing();
    }
    const bool narrow = several && needed > width();
    for (QPushButton* each : m_buttons) each->setVisible(several && !narrow);
    m_choice->setVisible(narrow);
}

void ChartFrame::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fitHead();
}

int ChartFrame::page() const {
    return m_stack->currentIndex();
}

void ChartFrame::showPage(int page) {
    m_stack->setCurrentIndex(page);
    for (int i = 0; i < int(m_buttons.size()); ++i) m_buttons[std::size_t(i)]->setChecked(i == page);
    m_choice->setCurrentIndex(page);
    Q_EMIT pageChanged(page);
}

QStringList ChartFrame::pageTitles() const {
    QStringList titles;
    for (const ChartPage& page : m_pages) titles.append(page.title);
    return titles;
}

ChartTable ChartFrame::table() const {
    const ChartPage& shown = m_pages[std::size_t(page())];
    return shown.table ? shown.table() : ChartTable{};
}

// ── saving ──────────────────────────────────────────────────────────────────────────────────────────────

/// Returns where the view begins.
QPoint ChartFrame::draw(QPainter& painter, const QSize& size, bool asShapes) const {
    painter.fillRect(QRect({0, 0}, size), theme::kPanel);
    painter.setPen(theme::kQuiet);
    painter.setFont(font());
    const ChartPage& shown = m_pages[std::size_t(page())];
    const QString title = m_pages.size() > 1 ? m_heading + " · " + shown.title : m_heading;
    painter.drawText(QRect(kMargin, 0, size.width(), kHeadHeight), Qt::AlignVCenter, title);
    int top = kHeadHeight;
    if (!m_legend->isHidden()) {
        m_legend->draw(painter, {kMargin, top});
        top += m_legend->height();
    }
    const QSize rest(size.width(), size.height() - top);
    if (shown.plot == nullptr) {
        painter.translate(0, top);
        shown.widget->render(&painter, {}, {}, QWidget::DrawChildren);
        return {0, top};
    }
    // QCustomPlot sets the viewport to what it draws into: it gets a painter of its own.
    QPicture picture;
    QCPPainter plotPainter;
    plotPainter.begin(&picture);
    plotPainter.setMode(QCPPainter::pmVectorized, asShapes);
    shown.plot->toPainter(&plotPainter, rest.width(), rest.height());
    plotPainter.end();
    painter.drawPicture(0, top, picture);
    // Until then it has the picture's layout, in which clicks would be read wrongly.
    shown.plot->replot(QCustomPlot::rpQueuedReplot);
    return {0, top};
}

ChartFrame::Drawn ChartFrame::drawn(double pixelRatio) const {
    QImage image(size() * pixelRatio, QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(pixelRatio);
    QPainter painter(&image);
    const QPoint page = draw(painter, size(), false);
    painter.end();
    image.setDevicePixelRatio(1);
    return {std::move(image), page};
}

StillChart ChartFrame::still(double pixelRatio) {
    return {drawn(pixelRatio).image};
}

Result<void> ChartFrame::savePng(const QString& file) const {
    if (!drawn(kPictureScale).image.save(file, "PNG")) return cantWrite(file.toStdString());
    return {};
}

Result<void> ChartFrame::saveSvg(const QString& file) const {
    QSvgGenerator svg;
    svg.setFileName(file);
    svg.setSize(size());
    svg.setViewBox(QRect({0, 0}, size()));
    svg.setTitle(m_heading);
    QPainter painter;
    if (!painter.begin(&svg)) return cantWrite(file.toStdString());
    draw(painter, size(), true);
    if (!painter.end()) return cantWrite(file.toStdString());
    return {};
}

Result<void> ChartFrame::save(const std::filesystem::path& file) {
    const std::string ending = file.extension().string();
    if (ending == ".csv") return writeFile(file, table().csv().toStdString());
    if (ending != ".png" && ending != ".svg")
        return Error{ErrorCode::BadUsage, file.string() + ": a name ending in .png, .svg or .csv was needed"};
    auto pending = PendingFile::create(file);
    if (!pending) return pending.error();
    const QString temporary = QString::fromStdString(pending->path().string());
    if (auto saved = ending == ".png" ? savePng(temporary) : saveSvg(temporary); !saved)
        return cantWrite(file);
    return pending->commit();
}

void ChartFrame::askAndSave(const QString& ending) {
    const QString name =
        QFileDialog::getSaveFileName(this, tr("Save the chart"), QString("chart.%1").arg(ending),
                                     QString("%1 (*.%2)").arg(ending.toUpper(), ending));
    if (name.isEmpty()) return;
    const QString dotted = '.' + ending;
    const std::filesystem::path file = (name.endsWith(dotted) ? name : name + dotted).toStdString();
    if (auto saved = save(file); !saved) Q_EMIT failed(QString::fromStdString(saved.error().message));
}

// ── a window of its own ─────────────────────────────────────────────────────────────────────────────────

void ChartFrame::detach() {
    if (isDetached() || parentWidget() == nullptr) return;
    QWidget* owner = window();
    const QRect before(mapToGlobal(QPoint(0, 0)), size());
    if (const auto* splitter = splitterOf(this)) m_sizes = splitter->sizes();
    m_place = new QWidget;
    replace(this, m_place);
    m_place->hide();
    setParent(owner, Qt::Window);  // so that it ends with the window that it came from
    setWindowTitle(m_heading + " – ReelGrid");
    // Larger than it was, above its old place and wholly on the screen, its frame as well.
    constexpr QSize kLeast(720, 400);
    QRect place({0, 0}, before.size().expandedTo(kLeast * theme::scaled(100) / 100));
    place.moveBottomLeft(before.bottomLeft());
    constexpr int kFrame = 40;
    const QRect room = owner->screen()->availableGeometry().adjusted(kFrame, kFrame, -kFrame, -kFrame);
    place.setSize(place.size().boundedTo(room.size()));
    place.moveLeft(std::clamp(place.left(), room.left(), room.right() - place.width() + 1));
    place.moveTop(std::clamp(place.top(), room.top(), room.bottom() - place.height() + 1));
    setGeometry(place);
    show();
}

void ChartFrame::putBack() {
    if (!isDetached()) return;
    QWidget* place = m_place;
    m_place = nullptr;
    setWindowFlags(Qt::Widget);
    replace(place, this);
    delete place;
    show();
    if (auto* splitter = splitterOf(this)) splitter->setSizes(m_sizes);
}

void ChartFrame::closeEvent(QCloseEvent* event) {
    if (!isDetached()) return QWidget::closeEvent(event);
    event->ignore();
    putBack();
}

}  // namespace reelgrid::widgets
