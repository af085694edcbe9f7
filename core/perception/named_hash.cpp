#include "core/perception/named_hash.h"

#include <string_view>

#include "core/base/hex.h"

namespace reelgrid::perception {

Result<void> requireNamedHash(const std::filesystem::path& file, const std::string& sha256) {
    constexpr std::size_t kDigits = 8;
    if (file.extension() != ".pth" && file.extension() != ".pt") return {};
    const std::string stem = file.stem().string();
    if (stem.size() <= kDigits || stem[stem.size() - kDigits - 1] != '-') return {};
    const std::string_view named = std::string_view(stem).substr(stem.size() - kDigits);
    const bool isDate = named.find_first_not_of("0123456789") == std::string_view::npos;
    if (isDate || !isHex(named, kDigits) || sha256.starts_with(named)) return {};
    return Error{ErrorCode::InvalidData, file.string() + ": its SHA-256 begins with " +
                                             sha256.substr(0, kDigits) + ", " + std::string(named) +
                                             " as in its name was needed: it is damaged or another file"};
}

}  // namespace reelgrid::perception
