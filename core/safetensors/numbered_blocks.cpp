#include "core/safetensors/numbered_blocks.h"

#include <charconv>

namespace reelgrid::safetensors {

bool hasBelow(const TensorEntries& tensors, const std::string& prefix) {
    const auto next = tensors.lower_bound(prefix);
    return next != tensors.end() && next->first.starts_with(prefix);
}

std::int64_t blocksInRow(const TensorEntries& tensors, const std::string& prefix) {
    std::int64_t count = 0;
    while (hasBelow(tensors, prefix + std::to_string(count) + ".")) ++count;
    return count;
}

std::string tensorBehindBlocks(const TensorEntries& tensors, const std::string& prefix, std::int64_t blocks) {
    for (auto at = tensors.lower_bound(prefix); at != tensors.end() && at->first.starts_with(prefix); ++at) {
        const std::string number =
            at->first.substr(prefix.size(), at->first.find('.', prefix.size()) - prefix.size());
        std::int64_t block = -1;
        const auto read = std::from_chars(number.data(), number.data() + number.size(), block);
        if (read.ec != std::errc() || block < 0 || block >= blocks) return at->first;
    }
    return {};
}

Error blockMissing(const std::string& file, const std::string& behind, std::int64_t block) {
    return {ErrorCode::InvalidData, file + ": it has " + quotedName(behind) + " but no block " +
                                        std::to_string(block) + ", every block before it was needed"};
}

}  // namespace reelgrid::safetensors
