#pragma once

// Shape legend: T frames, H rows, W columns, C channels.

#include <ATen/ATen.h>

#include <cstddef>
#include <stop_token>
#include <vector>

#include "core/base/result.h"

namespace reelgrid::vae::cogvideox {

/// What the causal convolutions of one encoder or decoder remember of the frames before the current batch:
/// one slot a layer, [2, H, W, C], taken in the order of the forward pass; undefined before the first batch.
class ConvCache {
  public:
    explicit ConvCache(std::stop_token stop = {}) : m_stop(std::move(stop)) {}

    /// To be called before each batch's forward pass.
    void beginBatch() { m_next = 0; }

    /// The slot of the layer that asks. It is also where a stop request is seen: throws Failure(Cancelled).
    at::Tensor& next() {
        if (m_stop.stop_requested()) throw Failure(ErrorCode::Cancelled, "cancelled");
        if (m_next == m_slots.size()) m_slots.emplace_back();
        return m_slots[m_next++];
    }

  private:
    std::vector<at::Tensor> m_slots;
    std::size_t m_next = 0;
    std::stop_token m_stop;
};

}  // namespace reelgrid::vae::cogvideox
