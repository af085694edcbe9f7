#include "widgets/panels/picture_slot.h"

#include <QDragEnterEvent>
#include <QFileInfo>
#include <QFontMetrics>
#include <QHBoxLayout>
#include <QLabel>
#include <QMimeData>
#include <QPushButton>
#include <QUrl>
#include <QVBoxLayout>

#include "widgets/panels/form_parts.h"
#include "widgets/theme/icons.h"

namespace reelgrid::widgets {

namespace {
constexpr QSize kThumbnail{96, 54};
}

QString pictureIn(const QDropEvent& event) {
    const QList<QUrl> urls = event.mimeData()->urls();
    if (urls.size() != 1 || !urls.front().isLocalFile()) return {};
    const QString path = urls.front().toLocalFile();
    const QStringList endings{"png", "jpg", "jpeg", "webp"};
    return endings.contains(QFileInfo(path).suffix().toLower()) ? path : QString();
}

PictureSlot::PictureSlot(const QString& title, const char* option, QWidget* parent)
    : QWidget(parent),
      m_picture(new QLabel),
      m_name(new QLabel),
      m_choose(new QPushButton(tr("Choose…"))),
      m_remove(new QPushButton) {
    setAcceptDrops(true);
    setAccessibleName(title);
    m_picture->setObjectName("picture");
    m_picture->setAlignment(Qt::AlignCenter);
    m_picture->setFixedSize(kThumbnail);
    m_picture->setFrameShape(QFrame::StyledPanel);
    m_name->setTextFormat(Qt::PlainText);
    m_name->setMinimumWidth(40);
    for (QPushButton* button : {m_choose, m_remove}) {
        button->setObjectName("flat");
        button->setProperty("plain", true);
    }
    setOption(m_choose, option);
    m_choose->setToolTip(tr("A PNG, JPEG or WebP file; it can be dropped here, too"));
    m_choose->setAccessibleName(tr("Choose %1").arg(title));
    m_remove->setIcon(icon(Glyph::Close));
    m_remove->setToolTip(tr("Render without this picture"));
    m_remove->setAccessibleName(tr("Remove %1").arg(title));

    auto* buttons = new QHBoxLayout;
    buttons->addWidget(m_choose);
    buttons->addWidget(m_remove);
    buttons->addStretch();
    auto* words = new QVBoxLayout;
    words->setSpacing(2);
    words->addWidget(quiet(title));
    words->addWidget(m_name);
    words->addLayout(buttons);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(8);
    row->addWidget(m_picture);
    row->addLayout(words, 1);
    connect(m_choose, &QPushButton::clicked, this, &PictureSlot::fileRequested);
    connect(m_remove, &QPushButton::clicked, this, [this] { setPath({}); });
    m_path = "-";  // so that the first setPath() shows something
    setPath({});
}

void PictureSlot::setPath(const QString& path) {
    if (path == m_path) return;
    m_path = path;
    m_picture->setPixmap({});
    if (path.isEmpty()) m_picture->setText(tr("drop here"));
    const QString name = path.isEmpty() ? tr("none") : QFileInfo(path).fileName();
    constexpr int kNameWidth = 150;
    m_name->setText(QFontMetrics(m_name->font()).elidedText(name, Qt::ElideMiddle, kNameWidth));
    m_name->setToolTip(path);
    m_remove->setVisible(!path.isEmpty());
    Q_EMIT edited();
}

void PictureSlot::setThumbnail(const QString& path, const QImage& image) {
    if (path != m_path || image.isNull()) return;
    const qreal ratio = devicePixelRatioF();
    QImage fitted = image.scaled(kThumbnail * ratio, Qt::KeepAspectRatio, Qt::SmoothTransformation);
    fitted.setDevicePixelRatio(ratio);
    m_picture->setPixmap(QPixmap::fromImage(fitted));
}

void PictureSlot::dragEnterEvent(QDragEnterEvent* event) {
    if (!pictureIn(*event).isEmpty()) event->acceptProposedAction();
}

void PictureSlot::dropEvent(QDropEvent* event) {
    const QString path = pictureIn(*event);
    if (path.isEmpty()) return;
    event->acceptProposedAction();
    setPath(path);
}

}  // namespace reelgrid::widgets
