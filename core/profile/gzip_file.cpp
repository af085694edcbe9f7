#include "core/profile/gzip_file.h"

#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <vector>

namespace reelgrid::profile {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{256} << 10;

Error cantWrite(const std::filesystem::path& file) {
    return {ErrorCode::Io, "can't write " + file.string() + ": " + std::strerror(errno)};
}

}  // namespace

Result<void> gzipFile(const std::filesystem::path& plain, const std::filesystem::path& packed) {
    std::ifstream in(plain, std::ios::binary);
    if (!in) return Error{ErrorCode::Io, "can't read " + plain.string() + ": " + std::strerror(errno)};
    gzFile out = gzopen(packed.c_str(), "wb");
    if (out == nullptr) return cantWrite(packed);
    std::unique_ptr<gzFile_s, int (*)(gzFile)> closing(out, gzclose);
    std::vector<char> block(kBlockBytes);
    while (in) {
        in.read(block.data(), static_cast<std::streamsize>(block.size()));
        const auto bytes = static_cast<unsigned>(in.gcount());
        if (bytes > 0 && gzwrite(out, block.data(), bytes) != static_cast<int>(bytes))
            return cantWrite(packed);
    }
    if (in.bad()) return Error{ErrorCode::Io, "can't read " + plain.string() + " to its end"};
    if (gzclose(closing.release()) != Z_OK) return cantWrite(packed);
    return {};
}

}  // namespace reelgrid::profile
