#include "widgets/panels/words_popup.h"

#include <QScreen>
#include <QTextBrowser>
#include <QUrl>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/theme/theme.h"

namespace reelgrid::widgets {

namespace {

constexpr QSize kSize(520, 640);
constexpr int kGap = 4;

/// A link each, so that they flow in lines and are reached by Tab.
QString asHtml(const PromptGuide& guide) {
    QString html;
    for (const PromptGuide::Group& group : guide.groups()) {
        QStringList links;
        for (const QString& word : group.words)
            links.append(QString("<a href='word:%1' style='color:%2; text-decoration:none'>%3</a>")
                             .arg(QString::fromLatin1(QUrl::toPercentEncoding(word)), theme::kText.name(),
                                  QString(word).replace(' ', QChar::Nbsp).toHtmlEscaped()));
        html += QString(
                    "<p style='color:%1; font-size:11px; font-weight:600; margin:12px 0 4px 0'>%2</p>"
                    "<p style='line-height:150%; margin:0'>%3</p>")
                    .arg(theme::kQuiet.name(), group.title.toUpper().toHtmlEscaped(),
                         links.join("&nbsp;&nbsp; "));
    }
    return html;
}

}  // namespace

WordsPopup::WordsPopup(const PromptGuide& guide, QWidget* parent) : QFrame(parent, Qt::Popup) {
    setObjectName("popup");
    auto* words = new QTextBrowser;
    words->setObjectName("words");
    words->setAccessibleName(tr("Words the demo model knows"));
    words->setFrameShape(QFrame::NoFrame);
    words->setOpenLinks(false);
    words->setHtml(asHtml(guide));
    connect(words, &QTextBrowser::anchorClicked, this,
            [this](const QUrl& link) { Q_EMIT wordChosen(link.path(QUrl::FullyDecoded)); });
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 4, 4, 8);
    layout->addWidget(words);
    setFocusProxy(words);
}

void WordsPopup::popUpBeside(const QWidget& panel) {
    const QRect room = panel.screen()->availableGeometry();
    resize(kSize.boundedTo(room.size()));
    const QPoint corner = panel.mapToGlobal(QPoint(panel.width() + kGap, 0));
    move(std::clamp(corner.x(), room.left(), room.right() + 1 - width()),
         std::clamp(corner.y(), room.top(), room.bottom() + 1 - height()));
    show();
    setFocus();
}

}  // namespace reelgrid::widgets
