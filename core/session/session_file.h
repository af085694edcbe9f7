#pragma once

#include <filesystem>
#include <string>

#include "core/base/sha256.h"

namespace reelgrid::session {

/// One name for a session's file, however it was asked for.
inline std::filesystem::path fullPathOf(const std::filesystem::path& file) {
    std::error_code failed;
    const std::filesystem::path absolute = std::filesystem::absolute(file, failed);
    return (failed ? file : absolute).lexically_normal();
}

/// Of a session's file with this text.
inline std::string fileHashOf(const std::string& text) {
    return sha256Hex(text);
}

}  // namespace reelgrid::session
