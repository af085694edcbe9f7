#pragma once

// Shape legend: T frames, H rows, W columns, C channels.

#include <ATen/ATen.h>

#include <chrono>
#include <cstddef>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace reelgrid::vae::wan21 {

/// What the causal layers of one encoder or decoder remember of the frames before the current chunk, so that
/// a clip goes through in chunks with the result of one pass. One slot a layer, taken in the order of the
/// forward pass; an undefined slot means that no chunk has passed yet.
class FeatureCache {
  public:
    /// Seconds by part of the model.
    using PartSeconds = std::map<std::string, double>;

    explicit FeatureCache(std::stop_token stop = {}, PartSeconds* partSeconds = nullptr)
        : m_stop(std::move(stop)), m_partSeconds(partSeconds) {}

    /// To be called before each chunk's forward pass.
    void beginChunk() {
        ++m_chunks;
        m_next = 0;
        m_partBegan = Clock::now();
    }

    /// Whether the chunk that began is the clip's first.
    [[nodiscard]] bool isFirstChunk() const { return m_chunks == 1; }

    /// The slot of the layer that asks. It is also where a stop request is seen: throws Failure(Cancelled).
    at::Tensor& next() {
        if (m_stop.stop_requested()) throw Failure(ErrorCode::Cancelled, "cancelled");
        if (m_next == m_slots.size()) m_slots.emplace_back();
        return m_slots[m_next++];
    }

    /// Adds the time since the last part to `part`, where times are wanted.
    void endPart(const std::string& part) {
        if (m_partSeconds == nullptr) return;
        const auto now = Clock::now();
        (*m_partSeconds)[part] += std::chrono::duration<double>(now - m_partBegan).count();
        m_partBegan = now;
    }

  private:
    using Clock = std::chrono::steady_clock;

    std::vector<at::Tensor> m_slots;
    std::size_t m_next = 0;
    int m_chunks = 0;
    std::stop_token m_stop;
    PartSeconds* m_partSeconds;
    Clock::time_point m_partBegan = Clock::now();
};

/// Frames a temporal kernel of 3 looks back.
inline constexpr std::int64_t kHistoryFrames = 2;

/// Keeps in `slot` a copy of the last two of the frames seen so far: those of the slot followed by x_THWC.
void remember(at::Tensor& slot, const at::Tensor& x_THWC);

/// The slot's frames followed by x_THWC, zero frames in front where the slot holds fewer than two: [2 + T, H,
/// W, C].
at::Tensor withHistory(const at::Tensor& slot, const at::Tensor& x_THWC);

}  // namespace reelgrid::vae::wan21
