#include "core/safetensors/zero_tensors.h"

#include "core/safetensors/header.h"
#include "core/safetensors/mapped_file.h"

namespace reelgrid::safetensors {

std::vector<std::string> zeroMatricesIn(const std::filesystem::path& file) {
    constexpr std::uint64_t kFewest = 64;
    const auto mapped = MappedFile::open(file);
    std::vector<std::string> found;
    for (const auto& [name, tensor] : readHeader(mapped->bytes(), file.string())) {
        if (tensor.shape.size() < 2 || tensor.elements() < kFewest) continue;
        const std::string_view bytes = mapped->bytes().substr(tensor.begin, tensor.bytes);
        if (bytes.find_first_not_of('\0') == bytes.npos) found.push_back(name);
    }
    return found;
}

}  // namespace reelgrid::safetensors
