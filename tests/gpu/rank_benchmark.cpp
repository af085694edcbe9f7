#include "tests/gpu/rank_benchmark.h"

#include <ATen/ATen.h>
#include <ATen/DeviceAccelerator.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <sstream>

#include "core/attention/make_dispatcher.h"
#include "core/execution/execution.h"
#include "core/parallel/rank_group.h"
#include "core/vae/wan21/wan_vae.h"
#include "core/weights/safetensors_folder.h"
#include "core/weights/safetensors_writer.h"
#include "tests/gpu/random_weights.h"
#include "tests/gpu/timed_transformer.h"

namespace reelgrid {
namespace {

using parallel::Mesh;
using parallel::RankGroup;

std::vector<std::string> wordsOf(const std::string& list, char separator) {
    std::vector<std::string> words;
    std::istringstream text(list);
    for (std::string word; std::getline(text, word, separator);) words.push_back(word);
    return words;
}

std::vector<PassSize> sizesOf(const std::string& list) {
    std::vector<PassSize> sizes;
    for (const std::string& size : wordsOf(list, ',')) {
        const auto numbers = wordsOf(size, 'x');
        if (numbers.size() != 3)
            throw Failure(ErrorCode::BadUsage, size + ": HEIGHTxWIDTHxFRAMES was needed");
        sizes.push_back({std::stol(numbers[0]), std::stol(numbers[1]), std::stol(numbers[2])});
    }
    return sizes;
}

class RankBenchmark {
  public:
    explicit RankBenchmark(RankGroup& group)
        : m_group(group),
          m_gpu(execution::executionOn("cuda:" + std::to_string(group.place().localRank)).value()),
          m_onGpu(at::TensorOptions().device(m_gpu.device)) {
        m_group.agreeOnExchange(m_gpu.device);
        const auto& exchange = m_group.exchange();
        row("{\"what\": \"exchange\", \"ranks\": " + std::to_string(m_group.ranks()) + ", \"by\": \"" +
            (exchange.nccl != nullptr ? "nccl " + exchange.nccl->version() : "host: " + exchange.whyHost) +
            "\"}");
    }

    void links();
    void transformer(const std::string& model, const std::string& attentions,
                     const std::vector<PassSize>& sizes);
    /// The same pass with all weights on each rank, and with a part of them.
    void shards(const std::string& model, const std::string& attention, const PassSize& size);
    /// A file of random transformer weights, which it writes into `folder`, onto all GPUs at once.
    void loading(const std::string& model, const std::string& folder);
    void vae(const std::vector<PassSize>& sizes, const std::vector<std::string>& tiles);

  private:
    /// Rank 0 prints it, at once.
    void row(const std::string& text) const {
        if (m_group.rank() != 0) return;
        std::printf("%s\n", text.c_str());
        std::fflush(stdout);
    }
    template <class... Values>
    void row(const char* format, const Values&... values) const {
        const int length = std::snprintf(nullptr, 0, format, values...);
        std::string text(static_cast<std::size_t>(length) + 1, '\0');
        std::snprintf(text.data(), text.size(), format, values...);
        text.pop_back();
        row(text);
    }

    /// Seconds of the slowest rank, which all start at the same time.
    double secondsOf(const std::function<void()>& work);
    /// The median of so many after one that isn't counted; that one alone where it takes long.
    double medianSeconds(int times, const std::function<void()>& work);
    void timeDegrees(const std::string& label, TimedTransformer& model, attention::Dispatcher& dispatcher);
    [[nodiscard]] models::BlockOptions sharded();
    void forgetPeak() const { at::accelerator::resetPeakStats(m_gpu.device.index()); }

    RankGroup& m_group;
    execution::Execution m_gpu;
    at::TensorOptions m_onGpu;
};

double RankBenchmark::secondsOf(const std::function<void()>& work) {
    m_gpu.synchronise();
    static_cast<void>(m_group.all().gather(at::zeros({1})));
    const auto start = std::chrono::steady_clock::now();
    work();
    m_gpu.synchronise();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    return m_group.all().largest({seconds.count()}).front();
}

double RankBenchmark::medianSeconds(int times, const std::function<void()>& work) {
    constexpr double kLong = 2;
    const double first = secondsOf(work);
    std::vector<double> seconds;
    for (int i = 0; i < (first > kLong ? 1 : times); ++i) seconds.push_back(secondsOf(work));
    std::ranges::sort(seconds);
    return seconds[seconds.size() / 2];
}

/// Bandwidth and latency as planStep() takes them: of one GPU, in one direction, to others.
void RankBenchmark::links() {
    const int ranks = m_group.ranks();
    for (const std::int64_t kib : {0L, 64L, 1024L, 16384L, 65536L, 262144L}) {
        const std::int64_t part = kib == 0 ? 16 : kib * 1024;
        const int times = kib <= 1024 ? 200 : 20;
        at::Tensor parts = at::zeros({ranks, part}, m_onGpu.dtype(at::kByte));
        const auto perExchange = [&](const std::function<void()>& exchange) {
            return 1e6 / times * medianSeconds(3, [&] {
                       for (int i = 0; i < times; ++i) exchange();
                   });
        };
        parallel::Communicator& all = m_group.all();
        const double allToAll = perExchange([&] { parts = all.allToAll(parts); });
        const double pass = perExchange([&] { parts[0].copy_(all.startPass(parts[0]).received()); });
        const double gather = perExchange([&] { static_cast<void>(all.gather(parts[0])); });
        const auto rate = [&](double bytes, double microseconds) { return bytes * 1e-3 / microseconds; };
        const auto bytes = static_cast<double>(part);
        row("{\"what\": \"links\", \"part_bytes\": %ld, \"all_to_all_us\": %.1f, \"all_to_all_GB_per_s\": "
            "%.2f, \"pass_us\": %.1f, \"pass_GB_per_s\": %.2f, \"gather_us\": %.1f, \"gather_GB_per_s\": "
            "%.2f}",
            static_cast<long>(part), allToAll, rate(bytes * (ranks - 1), allToAll), pass, rate(bytes, pass),
            gather, rate(bytes * (ranks - 1), gather));
    }
}

/// The largest difference over the reference's largest value, and whether all bits are the same.
std::string compared(const at::Tensor& value, const at::Tensor& reference) {
    if (at::equal(value, reference)) return "\"same_bits\": true, \"error\": 0";
    const double norm = ((value - reference).norm() / reference.norm()).item<double>();
    const double most = ((value - reference).abs().max() / reference.abs().max()).item<double>();
    std::ostringstream text;
    text << "\"same_bits\": false, \"error\": " << norm << ", \"largest_error\": " << most
         << ", \"close\": " << (norm <= 1e-2 ? "true" : "false");
    return text.str();
}

std::string peakText(const execution::Execution& gpu) {
    constexpr auto kAll = static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE);
    const auto peak = at::accelerator::getDeviceStats(gpu.device.index()).allocated_bytes[kAll].peak;
    std::ostringstream text;
    text.precision(4);
    text << static_cast<double>(peak) / (1 << 30);
    return text.str();
}

void RankBenchmark::timeDegrees(const std::string& label, TimedTransformer& model,
                                attention::Dispatcher& dispatcher) {
    at::Tensor alone, got;
    forgetPeak();
    const double one = medianSeconds(3, [&] { alone = model.pass(0, dispatcher, nullptr); });
    row("{\"what\": \"pass\", %s, \"ranks\": 1, \"used\": \"%s\", \"ms\": %.1f, \"peak_GiB\": %s}",
        label.c_str(), dispatcher.records().at(0).used.c_str(), one * 1e3, peakText(m_gpu).c_str());

    const int ranks = m_group.ranks();
    for (int ulysses = ranks; ulysses >= 1; --ulysses) {
        if (ranks % ulysses != 0 || model.heads() % ulysses != 0) continue;
        Mesh& mesh = m_group.mesh({.ring = ranks / ulysses, .ulysses = ulysses});
        forgetPeak();
        const double time = medianSeconds(3, [&] { got = model.pass(0, dispatcher, &mesh); });
        row("{\"what\": \"pass\", %s, \"ranks\": %d, \"ulysses\": %d, \"ring\": %d, \"ms\": %.1f, "
            "\"speedup\": "
            "%.3f, \"peak_GiB\": %s, %s}",
            label.c_str(), ranks, ulysses, ranks / ulysses, time * 1e3, one / time, peakText(m_gpu).c_str(),
            compared(got, alone).c_str());
    }
    if (ranks % 2 != 0) return;
    // Guidance: two passes, against two of one rank.
    Mesh& mesh = m_group.mesh({.cfg = 2, .ulysses = ranks / 2});
    Mesh* const shared = ranks > 2 ? &mesh : nullptr;
    const double time = medianSeconds(
        3, [&] { got = mesh.branches().gather(model.pass(mesh.branches().rank(), dispatcher, shared)); });
    row("{\"what\": \"guided step\", %s, \"ranks\": %d, \"cfg\": 2, \"ulysses\": %d, \"ms\": %.1f, "
        "\"speedup\": "
        "%.3f, %s}",
        label.c_str(), ranks, ranks / 2, time * 1e3, 2 * one / time, compared(got[0], alone).c_str());
}

void RankBenchmark::transformer(const std::string& name, const std::string& attentions,
                                const std::vector<PassSize>& sizes) {
    at::manual_seed(5);
    RandomWeights source(m_gpu.device, at::kBFloat16);
    std::unique_ptr<TimedTransformer> model;
    const double making = secondsOf([&] { model = timedTransformer(name, source, m_gpu); });
    row("{\"what\": \"model\", \"model\": \"%s\", \"seconds\": %.1f}", name.c_str(), making);
    for (const PassSize& size : sizes)
        for (const std::string& attention : wordsOf(attentions, ',')) {
            const auto dispatcher = attention::makeDispatcher(attention::Policy(attention), m_gpu).value();
            model->prepare(size);
            timeDegrees("\"model\": \"" + name + "\", \"size\": \"" + size.text() + "\", \"attention\": \"" +
                            attention + "\"",
                        *model, *dispatcher);
        }
}

models::BlockOptions RankBenchmark::sharded() {
    return {.residence = models::BlockResidence::Sharded,
            .ranks = m_group.ranks(),
            .mesh = &m_group.mesh({.ulysses = m_group.ranks()})};
}

void RankBenchmark::shards(const std::string& name, const std::string& attention, const PassSize& size) {
    Mesh& mesh = m_group.mesh({.ulysses = m_group.ranks()});
    at::Tensor whole;
    double ofWhole = 0;
    for (const bool isSharded : {false, true}) {
        at::manual_seed(5);
        RandomWeights source(m_gpu.device, at::kBFloat16);
        const auto model =
            timedTransformer(name, source, m_gpu, isSharded ? sharded() : models::BlockOptions{});
        const auto dispatcher = attention::makeDispatcher(attention::Policy(attention), m_gpu).value();
        model->prepare(size);
        forgetPeak();
        at::Tensor got;
        const double time = medianSeconds(3, [&] { got = model->pass(0, *dispatcher, &mesh); });
        if (!isSharded) whole = got, ofWhole = time;
        row("{\"what\": \"%s\", \"model\": \"%s\", \"size\": \"%s\", \"attention\": \"%s\", \"ranks\": %d, "
            "\"ulysses\": %d, \"ms\": %.1f, \"against_whole\": %.3f, \"blocks_GiB\": %.2f, \"peak_GiB\": %s, "
            "%s}",
            isSharded ? "shard of weights" : "all weights", name.c_str(), size.text().c_str(),
            attention.c_str(), m_group.ranks(), m_group.ranks(), time * 1e3, time / ofWhole,
            double(model->blockBytes()) / (1 << 30), peakText(m_gpu).c_str(), compared(got, whole).c_str());
    }
}

/// Random weights, and what was asked of them, in host memory.
class KeptWeights final : public weights::WeightSource {
  public:
    explicit KeptWeights(at::Device device) : m_random(device, at::kBFloat16) {}
    at::Tensor require(const std::string& name, at::IntArrayRef shape) override {
        const at::Tensor value = m_random.require(name, shape);
        m_kept[name] = value.cpu();
        return value;
    }
    [[nodiscard]] bool has(const std::string& name) const override { return m_random.has(name); }
    [[nodiscard]] const std::map<std::string, at::Tensor>& kept() const { return m_kept; }

  private:
    RandomWeights m_random;
    std::map<std::string, at::Tensor> m_kept;
};

void RankBenchmark::loading(const std::string& name, const std::string& folder) {
    const std::filesystem::path file = std::filesystem::path(folder) / "diffusion_pytorch_model.safetensors";
    if (m_group.rank() == 0) {
        KeptWeights source(m_gpu.device);
        static_cast<void>(timedTransformer(name, source, m_gpu));
        weights::writeSafetensors(file, source.kept()).value();
    }
    static_cast<void>(m_group.all().gather(at::zeros({1})));
    const double gigabytes = 1e-9 * static_cast<double>(std::filesystem::file_size(file));
    for (const bool isSharded : {false, true}) {
        std::unique_ptr<TimedTransformer> model;
        forgetPeak();
        const double seconds = secondsOf([&] {
            weights::SafetensorsFolder source(folder);
            model = timedTransformer(name, source, m_gpu, isSharded ? sharded() : models::BlockOptions{});
        });
        row("{\"what\": \"loading\", \"model\": \"%s\", \"ranks\": %d, \"sharded\": %s, \"file_GB\": %.1f, "
            "\"seconds\": %.2f, "
            "\"blocks_GiB\": %.2f, \"peak_GiB\": %s}",
            name.c_str(), m_group.ranks(), isSharded ? "true" : "false", gigabytes, seconds,
            double(model->blockBytes()) / (1 << 30), peakText(m_gpu).c_str());
    }
}

class GroupTiles final : public vae::TileRanks {
  public:
    explicit GroupTiles(RankGroup& group) : m_group(group) {}
    [[nodiscard]] int rank() const override { return m_group.rank(); }
    [[nodiscard]] int ranks() const override { return m_group.ranks(); }
    [[nodiscard]] at::Tensor exchange(const at::Tensor& tile_THWC) override {
        return m_group.all().gather(tile_THWC);
    }

  private:
    RankGroup& m_group;
};

void RankBenchmark::vae(const std::vector<PassSize>& sizes, const std::vector<std::string>& tiles) {
    using namespace vae::wan21;
    at::manual_seed(5);
    RandomWeights source(m_gpu.device, at::kBFloat16);
    const WanVae vae(weights::WeightScope(source, at::kBFloat16, m_gpu.device), WanVaeConfig::official());
    GroupTiles ranks(m_group);
    for (const PassSize& size : sizes) {
        at::manual_seed(3);
        const at::Tensor z =
            at::randn({16, (size.frames - 1) / 4 + 1, size.height / 8, size.width / 8}, m_onGpu);
        const double whole =
            medianSeconds(3, [&] { vae.decodeTo(z, [](const at::Tensor& frames) { (void)frames.cpu(); }); });
        row("{\"what\": \"decode\", \"size\": \"%s\", \"ranks\": 1, \"ms\": %.1f}", size.text().c_str(),
            whole * 1e3);
        for (const std::string& tile : tiles) {
            auto tiling = vae.tilingOf(std::stol(tile));
            at::Tensor alone, together;
            const double one = medianSeconds(3, [&] { alone = vae.decodeTiled(z, tiling); });
            tiling.ranks = &ranks;
            const double time = medianSeconds(3, [&] { together = vae.decodeTiled(z, tiling); });
            row("{\"what\": \"decode\", \"size\": \"%s\", \"tile\": %s, \"ms_of_one\": %.1f, \"ranks\": %d, "
                "\"ms\": %.1f, \"speedup\": %.3f, \"against_whole\": %.3f, %s}",
                size.text().c_str(), tile.c_str(), one * 1e3, m_group.ranks(), time * 1e3, one / time,
                whole / time, compared(together, alone).c_str());
        }
    }
}

void runBenchmark(RankGroup& group, const std::vector<std::string>& words) {
    RankBenchmark benchmark(group);
    if (words.size() == 1 && words[0] == "links")
        benchmark.links();
    else if (words.size() == 3 && words[0] == "vae")
        benchmark.vae(sizesOf(words[1]), wordsOf(words[2], ','));
    else if (words.size() == 4 && words[0] == "shards")
        benchmark.shards(words[1], words[2], sizesOf(words[3]).front());
    else if (words.size() == 3 && words[0] == "load")
        benchmark.loading(words[1], words[2]);
    else if (words.size() == 3)
        benchmark.transformer(words[0], words[1], sizesOf(words[2]));
    else
        throw Failure(ErrorCode::BadUsage,
                      "ranks: links, MODEL ATTENTIONS SIZES, shards MODEL ATTENTION SIZE, load MODEL FOLDER "
                      "or vae SIZES TILES was needed");
}

/// Every rank says it, without waiting for others.
void endThisRank(RankGroup& group, const Error& why) {
    std::fprintf(stderr, "rank %d: %s\n", group.rank(), why.message.c_str());
    group.watch().ends(why);
    _exit(1);
}

}  // namespace

int benchmarkRanks(const std::vector<std::string>& words) {
    const auto place = parallel::rankPlace().value();
    if (!place) throw Failure(ErrorCode::BadUsage, "ranks: tests/gpu/run-ranks starts them");
    RankGroup group(*place, std::chrono::seconds(60));
    group.deviceWatch().setLastResort([&](const Error& why) { endThisRank(group, why); });
    try {
        runBenchmark(group, words);
    } catch (const Failure& failure) {
        endThisRank(group, failure.error());
    } catch (const std::exception& failure) {
        endThisRank(group, {ErrorCode::Internal, failure.what()});
    }
    return 0;
}

}  // namespace reelgrid
