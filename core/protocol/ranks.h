#pragma once

#include <cstdint>

#include "core/protocol/render_fields.h"

namespace reelgrid::protocol {

/// Processes that share a render (--nproc): what its degrees come to. 1: one process renders it.
template <template <class> class Maybe>
std::int64_t ranksOf(const RenderFields<Maybe>& fields) {
    return std::int64_t{1} * fields.ulyssesDegree.value_or(1) * fields.ringDegree.value_or(1) *
           fields.cfgParallel.value_or(1);
}

}  // namespace reelgrid::protocol
