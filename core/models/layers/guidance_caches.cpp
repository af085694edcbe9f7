#include "core/models/layers/guidance_caches.h"

namespace reelgrid::models {
namespace {

constexpr const char *kConditional = "conditional.", *kUnconditional = "unconditional.";

}  // namespace

void GuidanceCaches::save(const std::string& prefix, std::map<std::string, at::Tensor>& into) const {
    conditional.save(prefix + kConditional, into);
    unconditional.save(prefix + kUnconditional, into);
}

void GuidanceCaches::restore(const std::string& prefix, const std::map<std::string, at::Tensor>& from,
                             at::Device device) {
    conditional.restore(prefix + kConditional, from, device);
    unconditional.restore(prefix + kUnconditional, from, device);
}

std::uint64_t guidanceCacheBytes(double threshold, double guidanceScale, std::int64_t tokens,
                                 std::int64_t channels) {
    return threshold > 0 ? firstBlockCacheBytes(tokens, channels, guidanceScale > 1 ? 2 : 1) : 0;
}

}  // namespace reelgrid::models
