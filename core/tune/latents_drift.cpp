#include "core/tune/latents_drift.h"

#include <cmath>
#include <cstring>
#include <memory>
#include <string_view>

#include "core/base/difference_sums.h"
#include "core/safetensors/header.h"
#include "core/safetensors/mapped_file.h"
#include "core/safetensors/tensor_hashes.h"

namespace reelgrid::tune {
namespace {

struct Latents {
    std::shared_ptr<const safetensors::MappedFile> file;
    safetensors::TensorEntry entry;

    [[nodiscard]] float at(std::uint64_t index) const {
        float value = 0;
        std::memcpy(&value, file->bytes().data() + entry.begin + index * sizeof value, sizeof value);
        return value;
    }
};

Latents readLatents(const std::filesystem::path& path) {
    Latents latents{safetensors::MappedFile::open(path), {}};
    safetensors::requireUnchanged(latents.file->bytes(), path.string(), safetensors::Hashes::WhereKept);
    const safetensors::TensorEntries entries = safetensors::readHeader(latents.file->bytes(), path.string());
    const auto found = entries.find("latents");
    if (found == entries.end() || found->second.dtype != safetensors::ElementType::F32)
        throw Failure(ErrorCode::InvalidData, path.string() + ": a tensor \"latents\" in F32 was needed");
    latents.entry = found->second;
    return latents;
}

}  // namespace

Result<LatentsDrift> latentsDrift(const std::filesystem::path& referencePath,
                                  const std::filesystem::path& path) {
    try {
        const Latents reference = readLatents(referencePath), other = readLatents(path);
        if (reference.entry.shape != other.entry.shape)
            return Error{ErrorCode::InvalidData, path.string() + ": latents " +
                                                     safetensors::shapeText(other.entry.shape) + ", " +
                                                     safetensors::shapeText(reference.entry.shape) +
                                                     " as in " + referencePath.string() + " were needed"};
        DifferenceSums sums;
        for (std::uint64_t i = 0; i < reference.entry.elements(); ++i) {
            const double a = reference.at(i), b = other.at(i);
            sums.products += a * b;
            sums.referenceSquares += a * a;
            sums.otherSquares += b * b;
            sums.distance += std::abs(a - b);
            sums.distanceSquares += (a - b) * (a - b);
            sums.reference += std::abs(a);
        }
        return LatentsDrift{sums.cosine(), sums.relativeL1()};
    } catch (const Failure& failure) {
        return failure.error();
    }
}

}  // namespace reelgrid::tune
