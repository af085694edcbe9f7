#include "core/perception/perception.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/execution/fp32_precision.h"
#include "core/media/clip.h"
#include "core/media/image.h"
#include "core/media/rgb.h"
#include "core/metrics/measures.h"
#include "core/perception/clip_pair.h"
#include "core/perception/dino_encoder.h"
#include "core/perception/frame_pictures.h"
#include "core/perception/lpips.h"
#include "core/perception/metric_weights.h"
#include "core/perception/telling_apart.h"
#include "core/perception/vmaf.h"
#include "core/protocol/render_fields.h"
#include "core/text/tokenizers/cut_prompts.h"

namespace reelgrid::perception {
namespace {

namespace fs = std::filesystem;
using metrics::Asked;
using metrics::ClipMetrics;

/// Frames in memory at once: a few, large ones one by one, so that activations stay small.
int framesAtOnce(const media::ClipInfo& clip) {
    constexpr std::int64_t kLargeArea = std::int64_t{1} << 20;
    return std::int64_t{clip.width} * clip.height > kLargeArea ? 1 : 4;
}

Lpips loadLpips(const MetricSource& source, at::Device device) {
    const auto net = source.metric == Asked::Lpips ? Lpips::Net::Alex : Lpips::Net::Squeeze;
    const weights::WeightFile backbone = weights::openWeights(source.parts[0]),
                              heads = weights::openWeights(source.parts[1]);
    return {net, {*backbone.weights, at::kFloat, device}, {*heads.weights, at::kFloat, device}};
}

DinoEncoder loadDino(const fs::path& path, at::Device device) {
    return {weights::openWeights(path), device};
}

const metrics::Measure& rowOf(Asked metric) {
    const std::string key = metrics::infoOf(metric).measure;
    return *std::ranges::find_if(metrics::kMeasures,
                                 [&](const metrics::Measure& row) { return key == row.key; });
}

/// How alike each frame is to the one before and to the first one, as VBench adds it up.
metrics::Series consistency(const std::vector<at::Tensor>& features_C) {
    const auto likeness = [](const at::Tensor& a, const at::Tensor& b) {
        const at::Tensor one = a.to(at::kDouble), other = b.to(at::kDouble);
        const double product = at::dot(one, other).item<double>();
        const double lengths = one.norm().item<double>() * other.norm().item<double>();
        return std::max(product / std::max(lengths, 1e-8), 0.0);  // in this order NaN stays NaN
    };
    std::vector<double> perPair;
    for (std::size_t i = 1; i < features_C.size(); ++i)
        perPair.push_back(
            (likeness(features_C[i - 1], features_C[i]) + likeness(features_C.front(), features_C[i])) / 2);
    return metrics::seriesOf(std::move(perPair));
}

/// Throws Failure(InvalidData): every frame has such a measure, and weights can be such that it overflows.
void requireFinite(const metrics::Series& series, Asked metric, const std::string& with) {
    const auto& numbers = series.perFrame;
    const auto wrong = std::ranges::find_if(numbers, [](double number) { return !std::isfinite(number); });
    if (wrong != numbers.end())
        throw Failure(ErrorCode::InvalidData, std::string(metrics::infoOf(metric).name) + ": " + with +
                                                  " gave " + (std::isnan(*wrong) ? "NaN" : "infinity") +
                                                  " for frame " + std::to_string(wrong - numbers.begin()) +
                                                  ", a finite number was needed");
}

media::RgbImage imageOf(const media::RgbVideo& frames, int index) {
    const auto frame = frames.frame(index);
    return {frames.width, frames.height, {frame.begin(), frame.end()}};
}

void appendRows(std::vector<at::Tensor>& to, const at::Tensor& rows) {
    const at::Tensor here = rows.to(at::kCPU);
    for (std::int64_t i = 0; i < here.size(0); ++i) to.push_back(here[i]);
}

void appendNumbers(std::vector<double>& to, const at::Tensor& numbers) {
    const at::Tensor here = numbers.to(at::kCPU, at::kDouble).contiguous();
    to.insert(to.end(), here.const_data_ptr<double>(), here.const_data_ptr<double>() + here.numel());
}

}  // namespace

struct Perception::Networks {
    at::Device device = at::kCPU;
    std::map<Asked, std::string> with;    ///< which weights or program, of each that was asked for
    std::map<Asked, std::string> sha256;  ///< of those
    std::map<Asked, Lpips> lpips;
    std::optional<ClipPair> scoring, base;
    std::optional<DinoEncoder> dino;
    std::optional<VmafProgram> vmaf;
};

Perception::Perception(std::unique_ptr<Networks> networks) : m_networks(std::move(networks)) {}
Perception::~Perception() = default;
Perception::Perception(Perception&&) noexcept = default;

Result<Perception> Perception::load(const std::vector<Asked>& asked, const std::string& named,
                                    const execution::Execution& execution) {
    const auto sources = findHashedSources(asked, named);
    if (!sources) return sources.error();
    return load(*sources, execution);
}

Result<Perception> Perception::load(const std::vector<MetricSource>& hashed,
                                    const execution::Execution& execution) try {
    const at::InferenceMode inference;
    auto networks = std::make_unique<Networks>();
    networks->device = execution.device;
    if (execution.device.is_cuda()) execution::setFp32Precision(protocol::kIeee);
    for (const MetricSource& source : hashed) {
        networks->with[source.metric] = source.with;
        networks->sha256[source.metric] = source.sha256;
        switch (source.metric) {
            case Asked::Lpips:
            case Asked::LpipsSqueeze:
                networks->lpips.emplace(source.metric, loadLpips(source, networks->device));
                requireTellsApart(networks->lpips.at(source.metric), source, networks->device);
                break;
            case Asked::Clip:
            case Asked::ClipL14:
                networks->scoring.emplace(source.parts[0], networks->device);
                requireTellsApart(*networks->scoring, source, networks->device);
                requireTellsTextsApart(*networks->scoring, source);
                break;
            case Asked::BackgroundConsistency:
                networks->base.emplace(source.parts[0], networks->device);
                requireTellsApart(*networks->base, source, networks->device);
                break;
            case Asked::SubjectConsistency:
                networks->dino.emplace(loadDino(source.parts[0], networks->device));
                requireTellsApart(*networks->dino, source, networks->device);
                break;
            case Asked::Vmaf:
                networks->vmaf = source.program;
                break;
        }
    }
    return Perception(std::move(networks));
} catch (const Failure& failure) {
    return failure.error();
}

bool Perception::isMeasured(const ClipMetrics& known, bool hasReference) const {
    return std::ranges::all_of(m_networks->sha256, [&](const auto& each) {
        const metrics::Measure& row = rowOf(each.first);
        if (row.needsReference() && !hasReference) return true;
        const auto hash = known.measuredWithSha256.find(row.key);
        return metrics::seriesOf(row, known) != nullptr && hash != known.measuredWithSha256.end() &&
               hash->second == each.second;
    });
}

Result<std::string> Perception::measure(const Subject& subject, ClipMetrics& into,
                                        const std::stop_token& stop) const try {
    const at::InferenceMode inference;
    const Networks& networks = *m_networks;
    auto frames = media::RgbReader::open(subject.frames);
    if (!frames) return frames.error();
    std::optional<media::RgbReader> reference;
    if (!subject.reference.empty() && into.drift && (!networks.lpips.empty() || networks.vmaf)) {
        auto opened = media::RgbReader::open(subject.reference);
        if (!opened) return opened.error();
        if (opened->info().width != frames->info().width || opened->info().height != frames->info().height)
            return Error{ErrorCode::BadUsage,
                         subject.reference.string() + ": of another size than " + subject.frames.string()};
        reference.emplace(*std::move(opened));
    }
    std::optional<ClipText> prompt;
    if (networks.scoring) {
        if (subject.prompt.empty())
            return Error{ErrorCode::BadUsage, "clip: the clip's prompt isn't known, --prompt was needed"};
        prompt = networks.scoring->text(subject.prompt);
    }
    std::map<Asked, std::vector<double>> distances;
    std::vector<double> scores;
    std::vector<at::Tensor> subjects_C, backgrounds_C;
    media::RgbVideo part{frames->info().width, frames->info().height, {}, {}}, referencePart = part;
    int compared = 0;
    for (int left = frames->info().frameCount(); left > 0;) {
        if (stop.stop_requested()) return Error{ErrorCode::Cancelled, "measuring was cancelled"};
        part.pixels.clear();
        const auto read = frames->read(framesAtOnce(frames->info()), part);
        if (!read) return read.error();
        if (*read == 0) break;
        left -= *read;
        const at::Tensor pictures = picturesOf(part, networks.device);
        if (reference) {
            referencePart.pixels.clear();
            const auto other = reference->read(*read, referencePart);
            if (!other) return other.error();
            compared += *other;
            if (*other > 0 && !networks.lpips.empty()) {
                const at::Tensor a = aroundZero(pictures.narrow(0, 0, *other)),
                                 b = aroundZero(picturesOf(referencePart, networks.device));
                for (const auto& [metric, lpips] : networks.lpips)
                    appendNumbers(distances[metric], lpips.distance(a, b));
            }
        }
        if (networks.scoring) {
            std::vector<at::Tensor> pixels;
            for (int i = 0; i < *read; ++i)
                pixels.push_back(networks.scoring->processor().pixels(imageOf(part, i)));
            appendNumbers(
                scores,
                (networks.scoring->pictures(at::cat(pixels)).matmul(prompt->features_D) * 100).clamp_min(0));
        }
        if (networks.base) {
            const auto side = networks.base->side();
            appendRows(backgrounds_C, networks.base->pictures(normalisedForClip(middleSquare(
                                          shorterSideAt(pictures, side, Samples::Bicubic), side))));
        }
        if (networks.dino)
            appendRows(subjects_C, networks.dino->forward(normalisedForDino(shorterSideAt(
                                       pictures, networks.dino->pictureSide(), Samples::Bilinear))));
    }
    std::map<Asked, std::string> with = networks.with;
    std::map<Asked, metrics::Series> measured;
    for (auto& [metric, perFrame] : distances) measured[metric] = metrics::seriesOf(std::move(perFrame));
    std::string remark;
    if (networks.scoring) {
        const Asked metric = with.contains(Asked::Clip) ? Asked::Clip : Asked::ClipL14;
        measured[metric] = metrics::seriesOf(std::move(scores));
        if (!prompt->cut.empty()) {
            with[metric] += ", the prompt cut at " + std::to_string(prompt->length) + " tokens";
            remark = std::string(metrics::infoOf(metric).name) + ": " +
                     text::cutLine("the prompt", prompt->length, prompt->cut);
        }
    }
    // Of one frame there is nothing to say.
    if (subjects_C.size() > 1) measured[Asked::SubjectConsistency] = consistency(subjects_C);
    if (backgrounds_C.size() > 1) measured[Asked::BackgroundConsistency] = consistency(backgrounds_C);
    if (networks.vmaf && compared > 0) {
        auto score = vmaf(*networks.vmaf, subject.frames, subject.reference, compared, stop);
        if (!score) return score.error();
        measured[Asked::Vmaf] = std::move(score->series);
        with[Asked::Vmaf] = std::move(score->with);
    }
    for (const auto& [metric, series] : measured) requireFinite(series, metric, with.at(metric));
    for (auto& [metric, series] : measured) {
        const metrics::Measure& row = rowOf(metric);
        (row.ofClip != nullptr ? into.*row.ofClip : (*into.drift).*row.ofDrift) = std::move(series);
        into.measuredWith[row.key] =
            with.at(metric) + (subject.measuredOn.empty() ? "" : ", on " + subject.measuredOn);
        into.measuredWithSha256[row.key] = networks.sha256.at(metric);
    }
    return remark;
} catch (const Failure& failure) {
    return failure.error();
}

}  // namespace reelgrid::perception
