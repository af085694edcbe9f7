#include "core/capture/capture_folder.h"

#include <charconv>
#include <string_view>
#include <system_error>

namespace reelgrid::capture {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kInput = "_input_";
constexpr std::string_view kMetadata = "_metadata.pt";

}  // namespace

std::optional<CaptureName> captureNameOf(const fs::path& file) {
    const std::string name = file.filename().string();
    const std::size_t input = name.rfind(kInput);
    if (input == name.npos || !name.ends_with(".pt") || name.starts_with(".")) return std::nullopt;
    CaptureName found{name.substr(0, input), 0};
    const char* first = name.data() + input + kInput.size();
    const char* last = name.data() + name.size() - 3;
    const auto [end, error] = std::from_chars(first, last, found.number);
    if (error != std::errc() || end != last || found.number < 0) return std::nullopt;
    return found;
}

void removeEarlierCaptures(const fs::path& folder, const std::string& kernel) {
    std::error_code failed;
    for (fs::directory_iterator file(folder, failed), end; !failed && file != end; file.increment(failed)) {
        const std::string name = file->path().filename().string();
        std::optional<std::string> ofKernel;
        if (const auto capture = captureNameOf(file->path())) ofKernel = capture->kernel;
        if (name.ends_with(kMetadata) && !name.starts_with("."))
            ofKernel = name.substr(0, name.size() - kMetadata.size());
        std::error_code ignored;
        if (ofKernel && (kernel.empty() || *ofKernel == kernel)) fs::remove(file->path(), ignored);
    }
}

}  // namespace reelgrid::capture
