#pragma once

#include <set>
#include <string>

#include "core/protocol/render_fields.h"

namespace reelgrid::protocol {

/// Every backend that a render names: its attention type, its policy's, and those that it measures in
/// lockstep.
template <template <class> class Maybe>
std::set<std::string> askedBackends(const RenderFields<Maybe>& fields) {
    std::set<std::string> names(fields.lockstep.begin(), fields.lockstep.end());
    names.insert(fields.attentionType);
    for (const AttentionRule& rule : fields.attentionPolicy.rules) names.insert(rule.backend);
    return names;
}

}  // namespace reelgrid::protocol
