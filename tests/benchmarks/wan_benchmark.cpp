// reelgrid_wan_benchmark [ATTENTION [MODEL_FOLDER [HEIGHT WIDTH FRAMES]]]: times a guided denoising step of a
// Wan transformer in fp32 and bf16 and says where the time goes. Takes the best of several, interleaved.

#include <ATen/Parallel.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <map>

#include "core/attention/make_dispatcher.h"
#include "core/base/result.h"
#include "core/execution/linear_product.h"
#include "core/models/wan/transformer.h"
#include "core/schedulers/initial_noise.h"
#include "core/weights/model_config.h"
#include "core/weights/safetensors_folder.h"

namespace reelgrid::models::wan {
namespace {

constexpr int kRepetitions = 3;
constexpr std::int64_t kTextPositions = 512;
constexpr std::int64_t kPromptTokens = 12;

/// Wall time; on one thread its CPU time, which other programs don't disturb.
double seconds() {
    timespec time{};
    clock_gettime(at::get_num_threads() == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double bestOf(const std::function<void()>& work) {
    work();
    double best = 1e9;
    for (int i = 0; i < kRepetitions; ++i) {
        const double start = seconds();
        work();
        best = std::min(best, seconds() - start);
    }
    return best;
}

/// The attention's time of each kind.
class KindTimes final : public attention::CallObserver {
  public:
    void served(const attention::Call& call, const attention::Served& served) override {
        spent[call.site.kind] += served.seconds.value_or(0);
    }
    void replayed(const attention::Pass&, const attention::RecordedCall&) override {}

    std::map<attention::ModuleKind, double> spent;
};

/// One pass's matrix products alone.
double productSeconds(const WanTransformerConfig& c, std::int64_t tokens, at::ScalarType dtype) {
    const auto inner = c.innerDim();
    const auto product = [&](std::int64_t in, std::int64_t out) {
        const at::Tensor x = at::randn({1, tokens, in}).to(dtype);
        const at::Tensor w = execution::packedForLinear(at::randn({out, in}).to(dtype));
        const at::Tensor b = at::randn({out}).to(dtype);
        const double time = bestOf([&] { (void)execution::linear(x, w, b); });
        std::printf("    %5ld x %5ld -> %5ld: %6.2f ms, %4.0f GFLOP/s\n", tokens, in, out, time * 1e3,
                    2e-9 * static_cast<double>(tokens * in * out) / time);
        return time;
    };
    const double block = product(inner, 3 * inner) + 3 * product(inner, inner) + product(inner, c.ffnDim) +
                         product(c.ffnDim, inner);
    return static_cast<double>(c.numLayers) * block;
}

struct Timing {
    double step = 1e9, self = 0, cross = 0;
};

void measure(const std::string& type, const std::string& folder, std::int64_t height, std::int64_t width,
             std::int64_t frames) {
    const auto config = WanTransformerConfig::from(weights::ModelConfig::read(folder));
    weights::SafetensorsFolder source(folder);
    const at::Tensor latents =
        schedulers::initialNoise(42, {1, config.inChannels, (frames - 1) / 4 + 1, height / 8, width / 8});
    const std::int64_t tokens = latents[0][0].numel() / config.patchVolume();
    at::Tensor text = schedulers::initialNoise(1, {1, kTextPositions, config.textDim});
    text.narrow(1, kPromptTokens, kTextPositions - kPromptTokens).zero_();

    const std::vector<at::ScalarType> dtypes{at::kFloat, at::kBFloat16};
    std::vector<WanTransformer> models;
    for (const auto dtype : dtypes) models.emplace_back(config, weights::WeightScope(source, dtype));
    std::vector<PreparedText> texts;
    for (const WanTransformer& model : models) texts.push_back(model.prepareText(text));

    std::vector<Timing> best(dtypes.size());
    std::vector<at::Tensor> flows(dtypes.size());
    for (int repetition = 0; repetition <= kRepetitions; ++repetition)
        for (std::size_t i = 0; i < dtypes.size(); ++i) {
            const auto dispatcher = attention::makeDispatcher(type).value();
            KindTimes times;
            dispatcher->observe(times);
            const double start = seconds();
            const StepEmbedding step = models[i].embedTimestep(700);
            for (int pass = 0; pass < 2; ++pass)
                flows[i] = models[i].forward(latents, step, texts[i], *dispatcher);
            const double time = seconds() - start;
            if (repetition > 0 && time < best[i].step)
                best[i] = {time, times.spent[attention::ModuleKind::Self],
                           times.spent[attention::ModuleKind::Cross]};
        }

    std::printf("%ld tokens, %ld text positions, %d threads; one guided step (two passes)\n", tokens,
                kTextPositions, at::get_num_threads());
    for (std::size_t i = 0; i < dtypes.size(); ++i) {
        std::printf("%s\n", c10::toString(dtypes[i]));
        const double products = 2 * productSeconds(config, tokens, dtypes[i]);
        const Timing& t = best[i];
        std::printf(
            "  step %7.1f ms = products %6.1f + self-attention %6.1f + cross-attention %6.1f + rest %6.1f\n",
            t.step * 1e3, products * 1e3, t.self * 1e3, t.cross * 1e3,
            (t.step - products - t.self - t.cross) * 1e3);
        std::printf("  once per prompt: %6.1f ms\n",
                    1e3 * bestOf([&] { (void)models[i].prepareText(text); }));
    }
    const at::Tensor exact = flows[0].flatten(), rounded = flows[1].flatten();
    std::printf("bf16 against fp32: cosine %.7f, largest difference %.2e of the largest value\n",
                at::cosine_similarity(exact, rounded, 0).item<double>(),
                ((exact - rounded).abs().max() / exact.abs().max()).item<double>());
}

}  // namespace
}  // namespace reelgrid::models::wan

int main(int argc, char** argv) {
    if (argc > 3 && argc != 6) {
        std::fprintf(stderr,
                     "usage: reelgrid_wan_benchmark [ATTENTION [MODEL_FOLDER [HEIGHT WIDTH FRAMES]]]\n");
        return 2;
    }
    const std::string type = argc > 1 ? argv[1] : "sdpa";
    const std::string folder = argc > 2 ? argv[2] : REELGRID_SOURCE_DIR "/resources/models/wan-demo";
    const auto size = [&](int i, std::int64_t standard) {
        return argc == 6 ? std::stoll(argv[i]) : standard;
    };
    try {
        reelgrid::models::wan::measure(type, folder + "/transformer", size(3, 144), size(4, 256),
                                       size(5, 33));
    } catch (const std::exception& failure) {
        std::fprintf(stderr, "reelgrid_wan_benchmark: %s\n", failure.what());
        return 1;
    }
    return 0;
}
