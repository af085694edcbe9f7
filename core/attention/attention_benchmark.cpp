// reelgrid_attention_benchmark [--cpu-time] [B,H,N,D[,Nk] …]: every backend against libtorch's sdpa on random
// data. All backends take turns in one run, so that a machine that slows down slows all of them; quantisation
// and packing are part of the time.

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <sstream>

#include "core/attention/kernel_call.h"
#include "kernels/cpu/instruction_set.h"
#include "kernels/cpu/peak_rate.h"

namespace {

using namespace reelgrid;

struct Shape {
    std::int64_t batch = 1, heads = 1, queries = 1, headDim = 64, keys = 1;
};

Shape shapeOf(const std::string& text) {
    std::vector<std::int64_t> numbers;
    std::stringstream stream(text);
    for (std::string part; std::getline(stream, part, ',');) numbers.push_back(std::stoll(part));
    if (numbers.size() < 4 || numbers.size() > 5 || *std::min_element(numbers.begin(), numbers.end()) < 1)
        throw std::invalid_argument(text);
    return {numbers[0], numbers[1], numbers[2], numbers[3], numbers.size() == 5 ? numbers[4] : numbers[2]};
}

enum class Clock { Wall, Cpu };

double now(Clock clock) {
    if (clock == Clock::Cpu) return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Contender {
    const kernels::BackendInfo* backend;
    std::vector<double> seconds;

    double median() {
        std::sort(seconds.begin(), seconds.end());
        return seconds[seconds.size() / 2];
    }
};

void measure(const Shape& shape, at::ScalarType dtype, double peak, Clock clock) {
    const auto random = [&](std::int64_t tokens) {
        return at::randn({shape.batch, tokens, shape.heads, shape.headDim}).to(dtype).transpose(1, 2);
    };
    const at::Tensor q = random(shape.queries), k = random(shape.keys), v = random(shape.keys);
    std::vector<Contender> contenders;
    for (const auto& backend : kernels::backends()) contenders.push_back({&backend, {}});

    const double work = 4.0 * static_cast<double>(shape.batch * shape.heads) *
                        static_cast<double>(shape.queries) * static_cast<double>(shape.keys) *
                        static_cast<double>(shape.headDim);
    const int rounds = static_cast<int>(std::clamp(3e11 / work, 7.0, 301.0));
    for (int round = -1; round < rounds; ++round)  // round −1 warms up
        for (auto& contender : contenders) {
            const double start = now(clock);
            if (contender.backend->run == nullptr)
                (void)at::scaled_dot_product_attention(q, k, v);
            else
                (void)attention::KernelCall({.q_BHND = q, .k_BHMD = k, .v_BHMD = v, .keyBias_M = {}})
                    .run(*contender.backend);
            const double spent = now(clock) - start;
            if (round >= 0) contender.seconds.push_back(spent);
        }
    const double sdpa = contenders.front().median();
    for (auto& contender : contenders) {
        const double median = contender.median();
        std::printf("%2ld x %2ld x %5ld x %5ld x %3ld  %-8s %-10s %10.3f ms (best %10.3f) %7.1f GFLOP/s",
                    shape.batch, shape.heads, shape.queries, shape.keys, shape.headDim, at::toString(dtype),
                    std::string(contender.backend->name).c_str(), median * 1e3,
                    contender.seconds.front() * 1e3, work / median / 1e9);
        if (peak > 0) std::printf(" %5.1f %% of peak", 100 * work / median / peak);
        std::printf("  %5.2f x sdpa\n", sdpa / median);
    }
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<std::string> texts(argv + 1, argv + argc);
    Clock clock = Clock::Wall;
    if (const auto flag = std::find(texts.begin(), texts.end(), "--cpu-time"); flag != texts.end()) {
        clock = Clock::Cpu;
        texts.erase(flag);
    }
    if (texts.empty())
        texts = {"1,2,4096,128",     "1,4,4096,64",  "1,3,1296,128",
                 "1,3,1296,128,512", "1,4,1024,128", "1,4,512,64"};
    try {
        const int threads = at::get_num_threads();
        const double fp32 = kernels::cpu::measurePeakRate(kernels::cpu::PeakOf::Fp32, threads);
        const double bf16 = kernels::cpu::measurePeakRate(kernels::cpu::PeakOf::Bf16, threads);
        const double int8 = kernels::cpu::measurePeakRate(kernels::cpu::PeakOf::Int8, threads);
        std::printf("%s, %d threads; peak GFLOP/s (GOP/s): fp32 %.0f, bf16 %.0f, int8 %.0f\n",
                    kernels::nameOf(kernels::selectedInstructionSet()), threads, fp32 / 1e9, bf16 / 1e9,
                    int8 / 1e9);
        std::printf("shares are of the input type's peak (fp16: fp32's)\n");
        for (const auto& text : texts)
            for (const auto dtype : {at::kBFloat16, at::kFloat, at::kHalf})
                measure(shapeOf(text), dtype, dtype == at::kBFloat16 && bf16 > 0 ? bf16 : fp32, clock);
    } catch (const std::invalid_argument& error) {
        std::fprintf(stderr, "%s: a shape is B,H,N,D or B,H,N,D,Nk\n", error.what());
        return 2;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
