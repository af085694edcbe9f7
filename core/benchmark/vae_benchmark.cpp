#include "core/benchmark/vae_benchmark.h"

#include <c10/core/InferenceMode.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <new>
#include <utility>

#include "core/base/result.h"
#include "core/benchmark/peak_memory.h"
#include "core/benchmark/synthetic_video.h"
#include "core/execution/memory_check.h"
#include "core/execution/out_of_memory.h"

// Shape legend: C channels, T frames, H rows, W columns.

namespace reelgrid::benchmark {
namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Signal over error, dB; at most what metrics.json has for equal frames.
double ratio(double signal, const at::Tensor& value, const at::Tensor& reference) {
    constexpr double kEqual = 100;
    const double error = (value - reference).pow(2).mean(at::kDouble).item<double>();
    return error > 0 ? std::min(kEqual, 10 * std::log10(signal / error)) : kEqual;
}

/// Pixels lie within [−1, 1].
double psnr(const at::Tensor& value, const at::Tensor& reference) {
    constexpr double kRange = 2;
    return ratio(kRange * kRange, value, reference);
}

double snr(const at::Tensor& value, const at::Tensor& reference) {
    return ratio(reference.pow(2).mean(at::kDouble).item<double>(), value, reference);
}

/// How far the whole measurement is, for the estimate: passes of all configurations alike.
class Passes {
  public:
    Passes(VaeProgress progress, int total) : m_progress(std::move(progress)), m_total(total) {}

    void begin(const std::string& configuration, const std::string& pass) {
        const double spent = secondsSince(m_began);
        const double eta = m_done == 0 ? -1 : spent / m_done * (m_total - m_done);
        if (m_progress) m_progress(configuration, pass, m_done, m_total, eta);
        ++m_done;
    }
    void skipTo(int done) { m_done = done; }

  private:
    VaeProgress m_progress;
    int m_total;
    int m_done = 0;
    Clock::time_point m_began = Clock::now();
};

/// What all configurations are given and held against, on the CPU.
struct Subject {
    at::Tensor clip_CTHW;
    at::Tensor latents_CTHW;  ///< of the first configuration that could encode
    at::Tensor exactLatents_CTHW,
        exactFrames_THWC;  ///< of the first of all; undefined where it couldn't run
};

/// Warm-up and timed calls of one direction; its last result, on the CPU.
template <class Call>
at::Tensor timed(const VaeCase& wanted, PeakMemory& memory, const std::function<void()>& announce,
                 VaePass& pass, Call&& call) {
    at::Tensor made;
    for (int i = 0; i < wanted.warmup + wanted.repetitions; ++i) {
        announce();
        made = at::Tensor();
        // The peak is that of the timed ones: a first call may try algorithms.
        if (i == wanted.warmup) memory.restart();
        wanted.execution.synchronise();
        const auto begin = Clock::now();
        made = call();
        wanted.execution.synchronise();
        if (i >= wanted.warmup) pass.seconds.push_back(secondsSince(begin));
    }
    pass.peakBytes = memory.bytes();
    return made.cpu();
}

/// The picture that others are held against, or one of those.
enum class Role { Reference, Compared };

std::uint64_t bytesNeeded(const VaeConfiguration& configuration, const vae::VaeFiles& checkpoint,
                          const VaeCase& wanted) {
    constexpr std::uint64_t kFp32 = 4, kColors = 3;
    // The clip and what is decoded; on the CPU also what it is held against, and their difference in fp64.
    const std::uint64_t copies = wanted.execution.device.is_cpu() ? 6 : 2;
    const vae::ClipSize& clip = wanted.clip;
    const auto vae = checkpoint.describe({configuration.dtype, wanted.execution.device}, vae::VaeParts::Both);
    return std::max(vae->bytesToEncode(clip, configuration.tiling),
                    vae->bytesToDecode(clip, configuration.tiling)) +
           copies * kColors * kFp32 * std::uint64_t(clip.frames * clip.height * clip.width);
}

void measureRow(VaeRow& row, Role role, const vae::VaeFiles& checkpoint, const VaeCase& wanted,
                Subject& subject, Passes& passes, const std::stop_token& stop) {
    const VaeConfiguration& configuration = row.configuration;
    execution::requireMemory(wanted.execution, bytesNeeded(configuration, checkpoint, wanted), 0,
                             configuration.name, "a smaller size or fewer frames");
    if (!subject.clip_CTHW.defined())
        subject.clip_CTHW = syntheticVideo(wanted.clip.frames, wanted.clip.height, wanted.clip.width)[0];
    PeakMemory memory(wanted.execution);
    const auto begin = Clock::now();
    const std::unique_ptr<vae::VideoVae> vae =
        checkpoint.load({configuration.dtype, wanted.execution.device}, vae::VaeParts::Both);
    const auto& tiling = configuration.tiling;
    wanted.execution.synchronise();
    row.loadSeconds = secondsSince(begin);

    at::Tensor latents_CTHW;
    {
        const at::Tensor x_CTHW = subject.clip_CTHW.to(wanted.execution.device);
        latents_CTHW = timed(
            wanted, memory, [&] { passes.begin(configuration.name, "encode"); }, row.encode,
            [&] {
                return (tiling ? vae->encodeTiled(x_CTHW, *tiling, {}, stop) : vae->encode(x_CTHW, {}, stop))
                    .mean_CTHW;
            });
    }
    if (!subject.latents_CTHW.defined()) subject.latents_CTHW = latents_CTHW;
    if (role == Role::Reference)
        subject.exactLatents_CTHW = latents_CTHW;
    else if (subject.exactLatents_CTHW.defined())
        row.latentsSnr = snr(latents_CTHW, subject.exactLatents_CTHW);

    const at::Tensor z_CTHW = subject.latents_CTHW.to(wanted.execution.device);
    const at::Tensor decoded_THWC = timed(
        wanted, memory, [&] { passes.begin(configuration.name, "decode"); }, row.decode,
        [&] {
            return tiling ? vae->decodeTiled(z_CTHW, *tiling, {}, stop)
                          : vae::decodedClip(*vae, z_CTHW, wanted.clip.frames, stop);
        });
    row.clipPsnr = psnr(decoded_THWC, subject.clip_CTHW.permute({1, 2, 3, 0}));
    if (role == Role::Reference)
        subject.exactFrames_THWC = decoded_THWC;
    else if (subject.exactFrames_THWC.defined())
        row.decodePsnr = psnr(decoded_THWC, subject.exactFrames_THWC);
}

std::string firstLineOf(const c10::Error& failure) {
    const std::string message = failure.what_without_backtrace();
    return message.substr(0, message.find('\n'));
}

}  // namespace

std::vector<VaeConfiguration> vaeConfigurations(const vae::Tiling& tiling) {
    return {{"fp32", at::kFloat, std::nullopt},
            {"bf16", at::kBFloat16, std::nullopt},
            {"tiled fp32", at::kFloat, tiling},
            {"tiled bf16", at::kBFloat16, tiling}};
}

std::vector<VaeRow> measureVae(const vae::VaeFiles& checkpoint, const VaeCase& wanted,
                               const VaeProgress& progress, std::stop_token stop) {
    const c10::InferenceMode inference;
    execution::giveCpuMemoryErrorsTheirType();
    std::vector<VaeConfiguration> configurations = vaeConfigurations(wanted.tiling);
    const std::string reference = configurations.front().name;
    std::erase_if(configurations, [&](const VaeConfiguration& each) {
        return !wanted.configurations.empty() && each.name != reference &&
               std::ranges::find(wanted.configurations, each.name) == wanted.configurations.end();
    });
    const int passesEach = 2 * (wanted.warmup + wanted.repetitions);
    Passes passes(progress, passesEach * int(configurations.size()));
    Subject subject;
    std::vector<VaeRow> rows;
    for (const VaeConfiguration& configuration : configurations) {
        VaeRow row;
        row.configuration = configuration;
        const auto giveUp = [&](const std::string& why) {
            row = {};
            row.configuration = configuration;
            row.error = why;
        };
        try {
            measureRow(row, rows.empty() ? Role::Reference : Role::Compared, checkpoint, wanted, subject,
                       passes, stop);
        } catch (const Failure& failure) {
            if (failure.error().code != ErrorCode::OutOfMemory) throw;
            giveUp(failure.error().message);
        } catch (const c10::AcceleratorError&) {
            throw;  // a GPU that failed can't be measured any further
        } catch (const c10::Error& failure) {
            giveUp(firstLineOf(failure));
        } catch (const std::bad_alloc&) {
            giveUp("the machine's memory is not enough");
        }
        rows.push_back(std::move(row));
        passes.skipTo(passesEach * int(rows.size()));
    }
    return rows;
}

}  // namespace reelgrid::benchmark
