#include "core/media/av_error.h"

extern "C" {
#include <libavutil/error.h>
#include <libavutil/log.h>
}

#include <array>
#include <cerrno>
#include <mutex>

namespace reelgrid::media {

std::string avErrorText(int code) {
    std::array<char, AV_ERROR_MAX_STRING_SIZE> text{};
    av_strerror(code, text.data(), text.size());
    return text.data();
}

Error avError(const std::string& what, int code) {
    ErrorCode kind = ErrorCode::InvalidData;
    switch (code) {
        case AVERROR(ENOENT):
            kind = ErrorCode::NotFound;
            break;
        case AVERROR(ENOMEM):
            kind = ErrorCode::OutOfMemory;
            break;
        case AVERROR(ENOSPC):
        case AVERROR(EFBIG):
        case AVERROR(EIO):
        case AVERROR(EACCES):
        case AVERROR(EPERM):
        case AVERROR(EROFS):
        case AVERROR(EDQUOT):
            kind = ErrorCode::Io;
            break;
        case AVERROR_DECODER_NOT_FOUND:
        case AVERROR_ENCODER_NOT_FOUND:
        case AVERROR_FILTER_NOT_FOUND:
        case AVERROR_MUXER_NOT_FOUND:
        case AVERROR_PATCHWELCOME:
            kind = ErrorCode::Unsupported;
            break;
        default:
            break;
    }
    return {kind, what + ": " + avErrorText(code)};
}

void silenceAvLog() {
    static std::once_flag once;
    std::call_once(once, [] { av_log_set_level(AV_LOG_QUIET); });
}

}  // namespace reelgrid::media
