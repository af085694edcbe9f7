#include "core/benchmark/machine_peaks.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <limits>

#include "kernels/cpu/peak_rate.h"

namespace reelgrid::benchmark {
namespace {

constexpr std::int64_t kMegabyte = std::int64_t{1} << 20;
// Each of three arrays: beyond the caches of a CPU's core complex, and of a GPU.
constexpr std::int64_t kTriadBytesOnCpu = 128 * kMegabyte, kTriadBytesOnGpu = 512 * kMegabyte;
constexpr std::int64_t kProductSide = 8192;
constexpr int kAttempts = 5;

/// Seconds of the best of some attempts, after one that warms up.
double bestTime(const Stopwatch& stopwatch, const std::function<void()>& work) {
    work();
    double best = std::numeric_limits<double>::infinity();
    for (int i = 0; i < kAttempts; ++i) best = std::min(best, stopwatch.time(work));
    return best;
}

double triadRate(const execution::Execution& execution, const Stopwatch& stopwatch) {
    const std::int64_t bytes = execution.device.is_cpu() ? kTriadBytesOnCpu : kTriadBytesOnGpu;
    const auto options = at::TensorOptions(execution.device).dtype(at::kFloat);
    const at::Tensor b = at::ones({bytes / 4}, options), c = at::ones_like(b);
    at::Tensor a = at::empty_like(b);
    return 3 * static_cast<double>(bytes) / bestTime(stopwatch, [&] { at::add_out(a, b, c, 3); });
}

/// Operations a second of square products; 0 where the GPU or libtorch has no such product.
double productRate(const Stopwatch& stopwatch, const std::function<void()>& product) {
    try {
        const auto side = static_cast<double>(kProductSide);
        return 2 * side * side * side / bestTime(stopwatch, product);
    } catch (const c10::Error&) {
        return 0;
    }
}

Peaks measureGpu(const execution::Execution& execution) {
    const Stopwatch stopwatch(execution);
    const auto options = at::TensorOptions(execution.device).dtype(at::kFloat);
    const at::Tensor x = at::randn({kProductSide, kProductSide}, options);
    const at::Tensor one = at::ones({}, options);
    const auto rateIn = [&](at::ScalarType type) {
        const at::Tensor a = x.to(type);
        return productRate(stopwatch, [&] { (void)at::mm(a, a); });
    };
    Peaks peaks{.fp32 = rateIn(at::kFloat), .bf16 = rateIn(at::kBFloat16), .fp16 = rateIn(at::kHalf)};
    const at::Tensor integers = (x * 32).clamp(-127, 127).to(at::kChar);
    peaks.int8 = productRate(stopwatch, [&] { (void)at::_int_mm(integers, integers.t()); });
    const at::Tensor e4m3 = x.to(at::kFloat8_e4m3fn);
    peaks.e4m3 = productRate(stopwatch, [&] {
        (void)at::_scaled_mm(e4m3, e4m3.t(), one, one, std::nullopt, std::nullopt, at::kBFloat16,
                             /*use_fast_accum=*/true);
    });
    peaks.bytesPerSecond = triadRate(execution, stopwatch);
    return peaks;
}

Peaks measureCpu(const execution::Execution& execution, Clock clock) {
    using namespace kernels::cpu;
    const int threads = clock == Clock::Processor ? 1 : at::get_num_threads();
    Peaks peaks{.fp32 = measurePeakRate(PeakOf::Fp32, threads),
                .bf16 = measurePeakRate(PeakOf::Bf16, threads),
                .int8 = measurePeakRate(PeakOf::Int8, threads)};
    if (clock == Clock::Wall) peaks.bytesPerSecond = triadRate(execution, Stopwatch(execution));
    return peaks;
}

}  // namespace

double Peaks::of(kernels::DataType type) const {
    if (type == kernels::DataType::BFloat16 && bf16 > 0) return bf16;
    if (type == kernels::DataType::Float16 && fp16 > 0) return fp16;
    return fp32;
}

Peaks measurePeaks(const execution::Execution& execution, Clock clock) {
    return execution.device.is_cpu() ? measureCpu(execution, clock) : measureGpu(execution);
}

Peaks highest(const Peaks& a, const Peaks& b) {
    Peaks both{.bytesPerSecond = std::max(a.bytesPerSecond, b.bytesPerSecond)};
    for (const auto& [name, rate] : kPeakTypes) both.*rate = std::max(a.*rate, b.*rate);
    return both;
}

}  // namespace reelgrid::benchmark
