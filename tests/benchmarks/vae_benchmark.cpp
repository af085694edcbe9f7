// reelgrid_vae_benchmark FOLDER [FRAMES WIDTH HEIGHT [REPEATS [VARIANTS [CHUNK]]]]: seconds to encode a
// made-up clip and to decode its latents with the VAE in FOLDER, per dtype and engine, with the shares of the
// decoder's parts and what bfloat16 costs in quality.

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <sys/resource.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>

#include "core/benchmark/synthetic_video.h"
#include "core/vae/wan21/wan_vae.h"
#include "core/weights/safetensors_folder.h"

namespace {

using namespace reelgrid;

struct Seconds {
    double wall = 0, processor = 0;
};

double processorSeconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

double peakMegabytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return double(usage.ru_maxrss) / 1024;
}

template <class Call>
Seconds best(int repeats, Call&& call) {
    Seconds least{1e30, 1e30};
    for (int i = 0; i < repeats; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        const double processor = processorSeconds();
        call();
        const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
        least = {std::min(least.wall, wall.count()),
                 std::min(least.processor, processorSeconds() - processor)};
    }
    return least;
}

double psnr(const at::Tensor& a, const at::Tensor& b) {
    return 10 * std::log10(4 / (a - b).pow(2).mean().item<double>());
}

void run(const std::string& folder, std::int64_t frames, std::int64_t width, std::int64_t height, int repeats,
         int variantCount, int chunk) {
    weights::SafetensorsFolder source{folder};
    const auto config = vae::wan21::WanVaeConfig::from(weights::ModelConfig::read(folder));
    const at::Tensor clip = benchmark::syntheticVideo(frames, height, width)[0];
    std::printf("%lld frames of %lldx%lld, %d threads, best of %d; processor seconds count both cores\n",
                static_cast<long long>(frames), static_cast<long long>(width), static_cast<long long>(height),
                at::get_num_threads(), repeats);
    at::Tensor latents, exact;
    const struct {
        const char* name;
        at::ScalarType dtype;
        vae::ConvEngine engine;
    } variants[] = {{"fp32 fastest", at::kFloat, vae::ConvEngine::Fastest},
                    {"fp32 libtorch", at::kFloat, vae::ConvEngine::Libtorch},
                    {"bf16 libtorch", at::kBFloat16, vae::ConvEngine::Libtorch}};
    for (const auto& variant : variants) {
        if (variantCount-- <= 0) break;
        std::map<std::string, double> parts;
        vae::wan21::WanVaeOptions options;
        options.engine = variant.engine;
        options.partSeconds = &parts;
        options.latentFramesPerChunk = chunk;
        std::optional<vae::wan21::WanVae> vae;
        const Seconds load =
            best(1, [&] { vae.emplace(weights::WeightScope(source, variant.dtype), config, options); });
        if (!latents.defined()) latents = vae->encode(clip).mean_CTHW;
        at::Tensor frames_THWC;
        const double before = peakMegabytes();
        const Seconds decode = best(repeats, [&] { frames_THWC = vae::decodedClip(*vae, latents, frames); });
        const double after = peakMegabytes();
        const Seconds encode = best(1, [&] { (void)vae->encode(clip); });
        if (!exact.defined()) {
            exact = frames_THWC;
            std::printf("the clip through encode and decode: %.1f dB\n",
                        psnr(exact, clip.permute({1, 2, 3, 0})));
        }
        std::printf(
            "%-14s load %.2f s, decode %.2f s (processor %.2f), encode %.2f s (%.2f); decode raised the peak "
            "from %.0f to %.0f MB; PSNR to the first %.1f dB\n",
            variant.name, load.wall, decode.wall, decode.processor, encode.wall, encode.processor, before,
            after, psnr(frames_THWC, exact));
        double total = 0;
        for (const auto& [part, seconds] : parts) total += seconds;
        for (const auto& [part, seconds] : parts)
            std::printf("    %-12s %5.1f %%\n", part.c_str(), 100 * seconds / total);
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::fprintf(stderr, "usage: %s FOLDER [FRAMES WIDTH HEIGHT [REPEATS [VARIANTS [CHUNK]]]]\n",
                     argv[0]);
        return 2;
    }
    const auto number = [&](int index, int fallback) {
        return argc > index ? std::atoi(argv[index]) : fallback;
    };
    try {
        run(argv[1], number(2, 33), number(3, 256), number(4, 144), number(5, 3), number(6, 3), number(7, 0));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
