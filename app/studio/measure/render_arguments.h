#pragma once

#include <QStringList>

#include "core/protocol/render_request.h"

namespace reelgrid::studio {

/// What a request asks for, as options of reelgrid-cli; without what tune decides itself (attention, outputs,
/// repetitions, captures, profiles).
QStringList renderArguments(const protocol::RenderRequest& request);

}  // namespace reelgrid::studio
