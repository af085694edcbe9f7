#include "core/metrics/parallel_frames.h"

#include <algorithm>
#include <atomic>
#include <thread>

namespace reelgrid::metrics {

std::vector<double> perFrame(int count, const std::function<double(int)>& measure) {
    std::vector<double> values(std::size_t(std::max(0, count)), 0.0);
    std::atomic<int> next{0};
    const auto work = [&] {
        for (int i = next++; i < count; i = next++) values[std::size_t(i)] = measure(i);
    };
    constexpr int kMaxThreads = 8;
    const int threads =
        std::clamp(int(std::thread::hardware_concurrency()), 1, std::min(kMaxThreads, std::max(1, count)));
    std::vector<std::jthread> others;
    for (int i = 1; i < threads; ++i) others.emplace_back(work);
    work();
    others.clear();  // joins
    return values;
}

}  // namespace reelgrid::metrics
