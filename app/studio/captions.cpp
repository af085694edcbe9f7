#include "app/studio/captions.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>

#include "app/studio/difference_words.h"
#include "core/comparison/request_differences.h"
#include "core/protocol/attention_call.h"
#include "core/result/warm_up.h"
#include "kernels/backends/backend_list.h"
#include "widgets/theme/local_number.h"

namespace reelgrid::studio {

namespace {

QString titleOf(const QString& backend) {
    for (const kernels::BackendInfo& known : kernels::backends())
        if (backend.toStdString() == known.name)
            return QString::fromUtf8(known.title.data(), qsizetype(known.title.size()));
    return {};
}

double denoiseSeconds(const ComparedClip& clip) {
    return clip.timing() == nullptr ? 0 : clip.timing()->stage("denoise").value_or(0);
}

QStringList comparedWith(const ComparedClip& reference, const ComparedClip& clip) {
    QStringList said;
    const result::Timing *own = clip.timing(), *first = reference.timing();
    const auto ratio = own != nullptr && first != nullptr ? result::denoiseRatio(*first, *own) : std::nullopt;
    if (ratio)
        said += QCoreApplication::translate("Captions", "denoises %1× as fast as %2")
                    .arg(widgets::fixedText(*ratio, 2), reference.label) +
                differsText(reference, clip);
    const auto& drift = clip.facts->result.metrics.drift;
    if (drift && drift->psnr)
        said += QCoreApplication::translate("Captions", "%1 dB PSNR from it")
                    .arg(widgets::fixedText(drift->psnr->mean, 1));
    return said;
}

QString inQuotes(const std::string& prompt) {
    return QString::fromUtf8("“%1”").arg(QString::fromStdString(prompt).simplified());
}

QStringList saidOf(const comparison::ClipOrigin& origin) {
    QStringList said;
    if (const std::string text = origin.text(); !text.empty()) said += QString::fromStdString(text);
    if (!origin.prompt.empty()) said += inQuotes(origin.prompt);
    return said;
}

/// Of the clips that are there, as far as they have any.
std::vector<const result::Manifest*> manifestsOf(const Comparison& comparison) {
    std::vector<const result::Manifest*> manifests;
    for (const ComparedClip& clip : comparison.clips())
        if (clip.onDisk && !clip.status.failed && clip.facts && clip.facts->result.manifest.settings)
            manifests.push_back(&clip.facts->result.manifest);
    return manifests;
}

/// What manifests prove of the clips together; empty where they prove nothing.
QString commonOf(const Comparison& comparison) {
    const auto manifests = manifestsOf(comparison);
    if (const auto words = comparison::requestDifferences(manifests, comparison::Beside::Kernel);
        !words.empty())
        return QCoreApplication::translate("Captions", "More than the attention kernel differs: %1")
            .arg(differenceText(words));
    const auto there = std::ranges::count_if(
        comparison.clips(), [](const ComparedClip& clip) { return clip.onDisk && !clip.status.failed; });
    if (there < 2 || std::size_t(there) > manifests.size()) return {};
    return QCoreApplication::translate("Captions",
                                       "One prompt, one seed, one model: only the attention kernel differs");
}

/// Without manifests they have the one that was asked for.
bool haveOnePrompt(const std::vector<const result::Manifest*>& manifests) {
    return std::ranges::all_of(manifests, [&](const result::Manifest* each) {
        return each->settings->prompt == manifests.front()->settings->prompt;
    });
}

}  // namespace

QString promptOf(const Comparison& comparison, const QString& asked) {
    const auto manifests = manifestsOf(comparison);
    if (manifests.empty()) return asked;
    return haveOnePrompt(manifests) ? QString::fromStdString(manifests.front()->settings->prompt) : QString();
}

std::vector<Fact> factsFor(const Comparison& comparison) {
    std::vector<Fact> facts;
    const ComparedClip* reference = comparison.reference();
    if (const QString common = commonOf(comparison); !common.isEmpty()) facts.push_back({common});
    const bool isOnePrompt = haveOnePrompt(manifestsOf(comparison));
    for (int tile = 0; tile < int(comparison.clips().size()); ++tile) {
        const ComparedClip& clip = comparison.clips()[std::size_t(tile)];
        QString text = clip.label;
        if (const QString title = titleOf(clip.backend); !title.isEmpty()) text += " – " + title;
        QStringList said;
        if (clip.facts && reference != nullptr && reference->facts && reference->id != clip.id)
            said = comparedWith(*reference, clip);
        else if (const double seconds = denoiseSeconds(clip); seconds > 0)
            said += QCoreApplication::translate("Captions", "denoises in %1 s")
                        .arg(widgets::fixedText(seconds, 1));
        if (clip.facts && clip.facts->origin) said += saidOf(*clip.facts->origin);
        if (!isOnePrompt && clip.facts && clip.facts->result.manifest.settings)
            said += inQuotes(clip.facts->result.manifest.settings->prompt);
        if (!said.isEmpty()) text += ": " + said.join(", ");
        facts.push_back({text, tile});
    }
    return facts;
}

}  // namespace reelgrid::studio
