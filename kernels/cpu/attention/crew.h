#pragma once

// Who works on the heads of a group: the steps of a method are written once and run by either crew.

#include <cstdint>

namespace reelgrid::kernels::cpu {

/// All threads of an OpenMP team over all heads: every loop is shared out, `each` ends with a barrier.
struct Team {
    std::int64_t heads;

    /// f(i) for `perHead` indices of every head.
    template <class F>
    void each(std::int64_t perHead, F f) const {
#pragma omp for schedule(static)
        for (std::int64_t i = 0; i < heads * perHead; ++i) f(i);
    }
    /// As each(), without its barrier: the next loop does not need what this one makes.
    template <class F>
    void spread(std::int64_t perHead, F f) const {
#pragma omp for schedule(static) nowait
        for (std::int64_t i = 0; i < heads * perHead; ++i) f(i);
    }
    /// As each(), for steps of unequal length: handed out one by one.
    template <class F>
    void deal(std::int64_t perHead, F f) const {
#pragma omp for schedule(dynamic, 1)
        for (std::int64_t i = 0; i < heads * perHead; ++i) f(i);
    }
};

/// One thread over one head while the others have theirs: no barriers, and the head stays in the thread's
/// cache.
struct Alone {
    std::int64_t head;

    template <class F>
    void each(std::int64_t perHead, F f) const {
        for (std::int64_t i = head * perHead; i < (head + 1) * perHead; ++i) f(i);
    }
    template <class F>
    void spread(std::int64_t perHead, F f) const {
        each(perHead, f);
    }
    template <class F>
    void deal(std::int64_t perHead, F f) const {
        each(perHead, f);
    }
};

}  // namespace reelgrid::kernels::cpu
