#include "core/models/layers/block_cache.h"

#include "core/base/result.h"

namespace reelgrid::models {

at::Tensor keptTensor(const std::map<std::string, at::Tensor>& from, const std::string& name) {
    const auto found = from.find(name);
    if (found == from.end())
        throw Failure(ErrorCode::InvalidData,
                      "--resume: what is kept has no \"" + name +
                          "\", which a step cache needs: it is of an older version; a render without "
                          "--resume was needed");
    return found->second;
}

}  // namespace reelgrid::models
