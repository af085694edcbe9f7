#pragma once

#include <string>

#include "core/base/result.h"

namespace reelgrid::media {

/// FFmpeg's own words for one of its negative return codes.
std::string avErrorText(int code);

/// The Error for a failed FFmpeg call: "<what>: <reason>", with NotFound, OutOfMemory, Io or InvalidData as
/// the code says.
Error avError(const std::string& what, int code);

/// FFmpeg prints to stderr by default; errors here travel as Results, so its log is switched off once.
void silenceAvLog();

}  // namespace reelgrid::media
