#pragma once

#include <string>

#include "core/base/result.h"
#include "core/hub/http.h"

namespace reelgrid::hub {

/// ", and asks to wait 600 s", to be put behind a problem; empty where the server asks for none.
std::string waitAskedFor(const HttpAnswer& answer);

/// What an answer that isn't ok says of its URL: Io or NotFound. `withoutRight`: what was needed of someone
/// who may not have it (401, 403).
Error refusal(const HttpAnswer& answer, const std::string& url, const std::string& withoutRight);

}  // namespace reelgrid::hub
