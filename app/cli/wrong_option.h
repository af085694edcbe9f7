#pragma once

#include <string>

#include "core/base/result.h"

namespace reelgrid::cli {

/// "--frames 0: a number from 1 to 1000 was needed".
inline Error wrongOption(const std::string& option, const std::string& value, const std::string& needed) {
    return {ErrorCode::BadUsage, option + " " + value + ": " + needed + " was needed"};
}

}  // namespace reelgrid::cli
