#include "core/base/result.h"

#include <array>

namespace reelgrid {
namespace {

struct NamedCode {
    ErrorCode code;
    const char* name;
};
constexpr std::array kCodes{
    NamedCode{ErrorCode::BadUsage, "bad_usage"},
    NamedCode{ErrorCode::NotFound, "not_found"},
    NamedCode{ErrorCode::InvalidData, "invalid_data"},
    NamedCode{ErrorCode::Unsupported, "unsupported"},
    NamedCode{ErrorCode::OutOfMemory, "out_of_memory"},
    NamedCode{ErrorCode::DeviceLost, "device_lost"},
    NamedCode{ErrorCode::Io, "io"},
    NamedCode{ErrorCode::Cancelled, "cancelled"},
    NamedCode{ErrorCode::Internal, "internal"},
};

}  // namespace

int exitCodeOf(ErrorCode code) {
    return code == ErrorCode::BadUsage ? 2 : 1;
}

const char* nameOf(ErrorCode code) {
    for (const NamedCode& entry : kCodes)
        if (entry.code == code) return entry.name;
    return "internal";
}

ErrorCode errorCodeFromName(const std::string& name) {
    for (const NamedCode& entry : kCodes)
        if (name == entry.name) return entry.code;
    return ErrorCode::Internal;
}

}  // namespace reelgrid
