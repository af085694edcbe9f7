#include "core/base/pending_name.h"

#include <charconv>

namespace reelgrid {
namespace {

constexpr std::string_view kMark = ".partial-";

}  // namespace

std::string pendingNameStart(const std::filesystem::path& finalPath) {
    return std::string(".").append(finalPath.filename().string()).append(kMark);
}

std::string pendingName(const std::filesystem::path& finalPath, pid_t process, unsigned number) {
    return pendingNameStart(finalPath) + std::to_string(process) + "-" + std::to_string(number) +
           finalPath.extension().string();
}

pid_t processOfPendingName(std::string_view name) {
    const std::size_t mark = name.rfind(kMark);
    if (mark == name.npos) return 0;
    const char* end = name.data() + name.size();
    pid_t process = 0;
    const auto first = std::from_chars(name.data() + mark + kMark.size(), end, process);
    if (first.ec != std::errc() || process <= 0 || first.ptr == end || *first.ptr != '-') return 0;
    unsigned number = 0;
    const auto second = std::from_chars(first.ptr + 1, end, number);
    const bool ends = second.ptr == end || *second.ptr == '.';
    return second.ec == std::errc() && ends ? process : 0;
}

}  // namespace reelgrid
