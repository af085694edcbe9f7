#include "app/studio/captions.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>

#include "core/protocol/attention_call.h"
#include "core/result/warm_up.h"
#include "kernels/backends/backend_list.h"

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
                    .arg(*ratio, 0, 'f', 2)
                    .arg(reference.label);
    const auto& drift = clip.facts->result.metrics.drift;
    if (drift && drift->psnr)
        said +=
            QCoreApplication::translate("Captions", "%1 dB PSNR from it").arg(drift->psnr->mean, 0, 'f', 1);
    return said;
}

QStringList saidOf(const comparison::ClipOrigin& origin) {
    QStringList said;
    if (const std::string text = origin.text(); !text.empty()) said += QString::fromStdString(text);
    if (!origin.prompt.empty())
        said += QString::fromUtf8("“%1”").arg(QString::fromStdString(origin.prompt).simplified());
    return said;
}

}  // namespace

std::vector<Fact> factsFor(const Comparison& comparison) {
    std::vector<Fact> facts;
    const ComparedClip* reference = comparison.reference();
    // Nobody knows that of other programs' clips.
    if (std::ranges::none_of(comparison.clips(),
                             [](const ComparedClip& clip) { return clip.facts && clip.facts->origin; }))
        facts.push_back({QCoreApplication::translate(
            "Captions", "One prompt, one seed, one model: only the attention kernel differs")});
    for (int tile = 0; tile < int(comparison.clips().size()); ++tile) {
        const ComparedClip& clip = comparison.clips()[std::size_t(tile)];
        QString text = clip.label;
        if (const QString title = titleOf(clip.backend); !title.isEmpty()) text += " – " + title;
        QStringList said;
        if (clip.facts && reference != nullptr && reference->facts && reference->id != clip.id)
            said = comparedWith(*reference, clip);
        else if (const double seconds = denoiseSeconds(clip); seconds > 0)
            said += QCoreApplication::translate("Captions", "denoises in %1 s").arg(seconds, 0, 'f', 1);
        if (clip.facts && clip.facts->origin) said += saidOf(*clip.facts->origin);
        if (!said.isEmpty()) text += ": " + said.join(", ");
        facts.push_back({text, tile});
    }
    return facts;
}

}  // namespace reelgrid::studio
