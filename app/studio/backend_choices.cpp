#include "app/studio/backend_choices.h"

#include "kernels/attention/backend_list.h"

namespace reelgrid::studio {

namespace {
QString text(std::string_view words) {
    return QString::fromUtf8(words.data(), qsizetype(words.size()));
}
}  // namespace

std::vector<widgets::BackendChoice> backendChoices() {
    std::vector<widgets::BackendChoice> choices;
    for (const kernels::BackendInfo& backend : kernels::backends()) {
        QString description = text(backend.title) + ". " + text(backend.description);
        if (!backend.cpuDeviation.empty())
            description += "\n" + QObject::tr("On the CPU: ") + text(backend.cpuDeviation);
        choices.push_back({text(backend.name), text(backend.name), description, true});
    }
    return choices;
}

}  // namespace reelgrid::studio
