#include "core/weights/pt_weights.h"

#include <ATen/Parallel.h>

#include <cstdint>

#include "core/base/result.h"
#include "core/pt/crc32.h"
#include "core/pt/state_dict.h"
#include "core/weights/pt_tensors.h"
#include "core/weights/scalar_type.h"
#include "core/weights/scaled_fp8.h"
#include "core/weights/shape_check.h"

namespace reelgrid::weights {
namespace {

/// Whether the bytes are those of the checksum, as far as there is one. Summed side by side: a text encoder
/// has gigabytes.
bool isWhole(const pt::Storage& storage) {
    if (!storage.crc) return true;
    constexpr std::size_t kSummedBytes = std::size_t{4} << 20;
    const std::size_t pieces = (storage.bytes.size() + kSummedBytes - 1) / kSummedBytes;
    std::vector<std::uint32_t> sums(pieces);
    at::parallel_for(0, static_cast<std::int64_t>(pieces), 1, [&](std::int64_t first, std::int64_t end) {
        for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(end); ++i)
            sums[i] = pt::crc32(storage.bytes.substr(i * kSummedBytes, kSummedBytes));
    });
    std::uint32_t all = pt::crc32({});
    for (std::size_t i = 0; i < pieces; ++i)
        all = pt::crc32Joined(all, sums[i], storage.bytes.substr(i * kSummedBytes, kSummedBytes).size());
    return all == *storage.crc;
}

}  // namespace

PtWeights::PtWeights(const std::filesystem::path& file)
    : m_file(file), m_tensors(pt::readStateDict(file).value()) {
    for (const auto& [name, tensor] : m_tensors) {
        if (!isFp8(scalarTypeOf(tensor.type))) continue;
        if (m_tensors.contains(std::string(kScaledFp8Marker)) && name != kScaledFp8Marker)
            throw Failure(ErrorCode::Unsupported, whereIs(name) + " is in FP8, in a file marked " +
                                                      safetensors::quotedName(std::string(kScaledFp8Marker)) +
                                                      ": scaled FP8 is read from .safetensors alone");
        if (const auto scale = scaleBeside(m_tensors, name); scale != m_tensors.end())
            throw Failure(ErrorCode::Unsupported,
                          whereIs(scale->first) + " scales " + safetensors::quotedName(name) +
                              ", which is in FP8: scaled FP8 is read from .safetensors alone");
    }
}

std::vector<std::string> PtWeights::names() const {
    std::vector<std::string> names;
    for (const auto& [name, tensor] : m_tensors) names.push_back(name);
    return names;
}

std::optional<std::vector<std::int64_t>> PtWeights::shapeOf(const std::string& name) const {
    const auto found = m_tensors.find(name);
    if (found == m_tensors.end()) return std::nullopt;
    return found->second.sizes;
}

at::ScalarType PtWeights::typeOf(const std::string& name) const {
    return scalarTypeOf(m_tensors.at(name).type);
}

at::Tensor PtWeights::require(const std::string& name, at::IntArrayRef shape) {
    const auto found = m_tensors.find(name);
    if (found == m_tensors.end()) throwMissing(m_file.string(), name, shape);
    requireShape(m_file.string(), name, found->second.sizes, shape);
    const pt::Storage& storage = *found->second.storage;
    if (!m_whole.contains(&storage) && !isWhole(storage))
        throw Failure(ErrorCode::InvalidData, whereIs(name) + " is damaged: the checksum is another");
    m_whole.insert(&storage);
    return tensorFrom(found->second).contiguous();
}

}  // namespace reelgrid::weights
