#pragma once

// Included by the few files that speak to c10d itself: its headers are heavy.

#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "core/parallel/rank_store.h"

namespace reelgrid::parallel {

struct RankStore::Handle {
    c10::intrusive_ptr<c10d::TCPStore> store;
};

}  // namespace reelgrid::parallel
