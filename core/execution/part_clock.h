#pragma once

#include <ATen/record_function.h>

#include <array>
#include <cstddef>
#include <source_location>

namespace reelgrid::execution {

/// What a denoising step's time goes into. A new part is a row in kParts, too.
enum class Part { Other, SelfAttention, CrossAttention, Projections, FeedForward, Norms, Communication };

/// How timing.json spells a part, and the range that a profiler's trace gets for it.
struct PartInfo {
    Part part;
    const char* name;
    const char* range;
};
inline constexpr std::array kParts{
    PartInfo{Part::SelfAttention, "self_attention", "self-attention"},
    PartInfo{Part::CrossAttention, "cross_attention", "cross-attention"},
    PartInfo{Part::Projections, "projections", "projections"},
    PartInfo{Part::FeedForward, "feed_forward", "feed-forward"},
    PartInfo{Part::Norms, "norms", "norms"},
    PartInfo{Part::Communication, "communication", "communication"},
    PartInfo{Part::Other, "other", nullptr},
};
inline constexpr std::size_t kPartCount = kParts.size();

const char* rangeOf(Part part);

/// Told by a model's layers which part of a step runs. Time is the innermost part's alone.
class PartClock {
  public:
    virtual ~PartClock() = default;
    /// From now on it is `part` that runs; returns which one it was until now.
    virtual Part switchTo(Part part) = 0;
};

/// A part of a step, from here to the end of the block; also a range of a trace, where one is being recorded.
class PartScope {
  public:
    /// Without a clock nothing is measured: passes that are recorded as a graph are replayed without coming
    /// by here.
    PartScope(PartClock* clock, Part part,
              const std::source_location& here = std::source_location::current());
    PartScope(const PartScope&) = delete;
    PartScope& operator=(const PartScope&) = delete;
    ~PartScope();

  private:
    PartClock* m_clock;
    Part m_before = Part::Other;
    at::RecordFunction m_range{at::RecordScope::USER_SCOPE};
};

}  // namespace reelgrid::execution
