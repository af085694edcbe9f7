#pragma once

#include "core/base/json.h"

namespace reelgrid::protocol {

using reelgrid::parseJson;
using reelgrid::printJson;
using reelgrid::printJsonIndented;
using reelgrid::showJson;

}  // namespace reelgrid::protocol
