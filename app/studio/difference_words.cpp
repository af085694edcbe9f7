#include "app/studio/difference_words.h"

#include <QCoreApplication>

#include "core/comparison/request_differences.h"

namespace reelgrid::studio {

namespace {
// Of core/comparison/request_differences.cpp; what is not here is shown as it is.
[[maybe_unused]] constexpr const char* kWords[]{
    QT_TRANSLATE_NOOP("Differences", "model"),    QT_TRANSLATE_NOOP("Differences", "prompt"),
    QT_TRANSLATE_NOOP("Differences", "picture"),  QT_TRANSLATE_NOOP("Differences", "negative prompt"),
    QT_TRANSLATE_NOOP("Differences", "seed"),     QT_TRANSLATE_NOOP("Differences", "size"),
    QT_TRANSLATE_NOOP("Differences", "frames"),   QT_TRANSLATE_NOOP("Differences", "steps"),
    QT_TRANSLATE_NOOP("Differences", "guidance"), QT_TRANSLATE_NOOP("Differences", "step cache"),
    QT_TRANSLATE_NOOP("Differences", "linear"),   QT_TRANSLATE_NOOP("Differences", "what is known of them"),
};
}  // namespace

QString differenceText(const std::vector<std::string>& words) {
    QString text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i > 0)
            text +=
                i + 1 == words.size() ? QCoreApplication::translate("Differences", " and ") : QString(", ");
        text += QCoreApplication::translate("Differences", words[i].c_str());
    }
    return text;
}

QString otherWork(const ComparedClip& reference, const ComparedClip& clip) {
    if (!reference.facts || !clip.facts) return {};
    return differenceText(
        comparison::workDifferences(reference.facts->result.manifest, clip.facts->result.manifest));
}

QString otherContent(const ComparedClip& reference, const ComparedClip& clip) {
    if (!reference.facts || !clip.facts) return {};
    return differenceText(
        comparison::contentDifferences(reference.facts->result.manifest, clip.facts->result.manifest));
}

QString differsText(const ComparedClip& reference, const ComparedClip& clip) {
    const QString other = otherContent(reference, clip);
    return other.isEmpty() ? QString()
                           : QCoreApplication::translate("Differences", " (differs: %1)").arg(other);
}

}  // namespace reelgrid::studio
