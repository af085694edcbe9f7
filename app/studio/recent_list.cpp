#include "app/studio/recent_list.h"

#include <QLocale>
#include <QPixmapCache>
#include <algorithm>

#include "app/studio/recent_comparisons.h"
#include "widgets/theme/theme.h"

namespace reelgrid::studio {

namespace {

constexpr QSize kPicture(192, 108);
constexpr QSize kCell(216, 184);
constexpr int kTextWidth = 196;
constexpr int kSearchRole = Qt::UserRole + 1;

QPixmap pixmapOf(const QByteArray& picture) {
    const QImage image = QImage::fromData(picture);
    if (!image.isNull())
        return QPixmap::fromImage(image.scaled(kPicture, Qt::KeepAspectRatio, Qt::SmoothTransformation));
    QPixmap plain(kPicture);
    plain.fill(widgets::theme::kRaised);
    return plain;
}

/// Unpacks its picture when it comes into sight; Qt's cache of pixmaps bounds how many stay unpacked.
class RecentItem : public QListWidgetItem {
  public:
    RecentItem(const RecentComparison& comparison, const QString& words, QListWidget* list)
        : QListWidgetItem(words, list),
          m_picture(comparison.picture),
          m_key(QString("recent %1 %2").arg(comparison.when.toMSecsSinceEpoch()).arg(qHash(m_picture))) {}

    [[nodiscard]] QVariant data(int role) const override {
        if (role != Qt::DecorationRole) return QListWidgetItem::data(role);
        QPixmap pixmap;
        if (!QPixmapCache::find(m_key, &pixmap)) QPixmapCache::insert(m_key, pixmap = pixmapOf(m_picture));
        return pixmap;
    }

  private:
    QByteArray m_picture;
    QString m_key;
};

QString backendsOf(const RecentComparison& comparison) {
    if (comparison.backends.size() <= 3) return comparison.backends.join(", ");
    return QObject::tr("%1 and %2 more")
        .arg(comparison.backends.mid(0, 2).join(", "))
        .arg(comparison.backends.size() - 2);
}

}  // namespace

RecentList::RecentList(const RecentComparisons* recent, QWidget* parent)
    : QListWidget(parent), m_recent(recent) {
    setObjectName("recent");
    setAccessibleName(tr("Recent comparisons"));
    setViewMode(QListView::IconMode);
    setResizeMode(QListView::Adjust);
    setMovement(QListView::Static);
    setUniformItemSizes(true);
    setWordWrap(true);
    setIconSize(kPicture);
    setGridSize(kCell);
    setFrameShape(QFrame::NoFrame);
    connect(this, &QListWidget::itemActivated, this,
            [this](const QListWidgetItem* item) { Q_EMIT chosen(item->data(Qt::UserRole).toString()); });
    connect(m_recent, &RecentComparisons::changed, this, &RecentList::fill);
    fill();
}

void RecentList::fill() {
    clear();
    const QLocale locale;
    const auto line = [this](const QString& text) {
        return fontMetrics().elidedText(text, Qt::ElideRight, kTextWidth);
    };
    for (const RecentComparison& comparison : m_recent->all()) {
        const QString when = locale.toString(comparison.when, QLocale::ShortFormat);
        const QString backends = backendsOf(comparison);
        const QString prompt = comparison.prompt.isEmpty()
                                   ? QString::fromStdString(comparison.folder.filename().string())
                                   : comparison.prompt;
        auto* item =
            new RecentItem(comparison, QString("%1\n%2\n%3").arg(line(prompt), line(backends), when), this);
        item->setData(Qt::UserRole, QString::fromStdString(comparison.folder.string()));
        item->setToolTip(QString("%1\n%2\n%3")
                             .arg(comparison.prompt, comparison.details,
                                  QString::fromStdString(comparison.folder.string())));
        item->setData(kSearchRole,
                      QStringList{comparison.prompt, comparison.backends.join(' '), comparison.details, when,
                                  comparison.when.toString(Qt::ISODate)}
                          .join(' '));
        item->setTextAlignment(Qt::AlignHCenter | Qt::AlignTop);
    }
}

int RecentList::showOnly(const QStringList& words) {
    int shown = 0;
    for (int row = 0; row < count(); ++row) {
        const QString text = item(row)->data(kSearchRole).toString();
        const bool has = std::ranges::all_of(
            words, [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
        item(row)->setHidden(!has);
        shown += has;
    }
    return shown;
}

}  // namespace reelgrid::studio
