#include "core/perception/metric_source.h"

#include <algorithm>
#include <array>

#include "core/base/folder.h"
#include "core/base/sha256.h"
#include "core/perception/metric_weights.h"
#include "core/perception/named_hash.h"

namespace reelgrid::perception {
namespace {

namespace fs = std::filesystem;
using metrics::Asked;

/// Raised where what a metric computes from the same weights changes.
constexpr const char* kDefinitions = "2";

struct LpipsFiles {
    const char* title;
    const char* backbone;
    const char* backboneNeeded;
    const char* heads;
    const char* headsNeeded;
};

LpipsFiles lpipsFilesOf(Asked metric) {
    if (metric == Asked::Lpips)
        return {
            "AlexNet", "alexnet",
            "torchvision's alexnet-owt-7be5be79.pth (in Python torchvision.models.alexnet(weights='DEFAULT') "
            "brings it)",
            "alex.",
            "alex.pth of the Python package lpips (lpips/weights/v0.1; `pip download lpips` brings it)"};
    return {"SqueezeNet", "squeezenet1_1",
            "torchvision's squeezenet1_1-b8a52dc0.pth (in Python "
            "torchvision.models.squeezenet1_1(weights='DEFAULT') brings it)",
            "squeeze.",
            "squeeze.pth of the Python package lpips (lpips/weights/v0.1; `pip download lpips` brings it)"};
}

MetricSource ofModel(Asked metric, const fs::path& folder) {
    return {metric, {folder}, {}, shownWeights(folder)};
}

/// Throws Failure.
MetricSource sourceOf(Asked metric, const std::string& named) {
    const MetricWeights weights(named);
    const std::string name = metrics::infoOf(metric).name;
    switch (metric) {
        case Asked::Lpips:
        case Asked::LpipsSqueeze: {
            const LpipsFiles files = lpipsFilesOf(metric);
            const fs::path backbone = weights.file(name, {files.backbone}, files.backboneNeeded),
                           heads = weights.file(name, {files.heads}, files.headsNeeded);
            return {metric,
                    {backbone, heads},
                    {},
                    std::string(files.title) + ": " + shownWeights(backbone) + " and " + shownWeights(heads)};
        }
        case Asked::Clip:
        case Asked::BackgroundConsistency:
            return ofModel(metric, weights.requireModel(name, kClipBase));
        case Asked::ClipL14:
            return ofModel(metric, weights.requireModel(name, kClipLarge));
        case Asked::SubjectConsistency: {
            if (const fs::path folder = weights.modelFolder(kDino); !folder.empty())
                return ofModel(metric, folder);
            return ofModel(metric, weights.file(name, {"dino_vitb"},
                                                "dino_vitbase16_pretrain.pth of DINO's authors, or " +
                                                    std::string(kDino) + " (`reelgrid-cli models download " +
                                                    kDino + "`)"));
        }
        case Asked::Vmaf:
            break;
    }
    const VmafProgram program = VmafProgram::find().value();
    return {metric, {}, program, "FFmpeg " + program.version};
}

/// A model's files that numbers can depend on, in one order everywhere; a file is itself. As entriesOf().
Result<std::vector<fs::path>> filesOf(const fs::path& part) {
    std::error_code failed;
    if (!fs::is_directory(part, failed)) return std::vector{part};
    constexpr std::array kRead{".json", ".txt", ".safetensors", ".bin"};
    std::vector<fs::path> files;
    const auto entries = entriesOf(part);
    if (!entries) return entries.error();
    for (const fs::directory_entry& entry : *entries)
        if (std::ranges::find(kRead, entry.path().extension().string()) != kRead.end() &&
            entry.is_regular_file(failed))
            files.push_back(entry.path());
    std::ranges::sort(files);
    return files;
}

void add(Sha256& hash, const std::string& text) {
    const std::string line = text + "\n";
    hash.add({reinterpret_cast<const std::uint8_t*>(line.data()), line.size()});
}

}  // namespace

Result<MetricSource> findSource(Asked metric, const std::string& weights) try {
    return sourceOf(metric, weights);
} catch (const Failure& failure) {
    return failure.error();
}

Result<std::vector<MetricSource>> findSources(const std::vector<Asked>& asked, const std::string& weights) {
    std::vector<MetricSource> sources;
    for (const Asked metric : asked) {
        auto source = findSource(metric, weights);
        if (!source) return source.error();
        sources.push_back(*std::move(source));
    }
    return sources;
}

Result<std::string> fingerprintOf(const MetricSource& source, const std::stop_token& stop) {
    Sha256 hash;
    add(hash, kDefinitions);
    add(hash, metrics::infoOf(source.metric).name);
    add(hash, source.with);
    for (const fs::path& part : source.parts) {
        const auto files = filesOf(part);
        if (!files) return files.error();
        for (const fs::path& file : *files) {
            const auto own = sha256OfFile(file, stop);
            if (!own) return own.error();
            if (auto named = requireNamedHash(file, *own); !named) return named.error();
            add(hash, file.filename().string() + " " + *own);
        }
    }
    return hash.finish();
}

Result<std::vector<MetricSource>> findHashedSources(const std::vector<Asked>& asked,
                                                    const std::string& weights, const std::stop_token& stop) {
    auto sources = findSources(asked, weights);
    if (!sources) return sources;
    for (MetricSource& source : *sources) {
        auto hash = fingerprintOf(source, stop);
        if (!hash) return hash.error();
        source.sha256 = *std::move(hash);
    }
    return sources;
}

std::string fingerprintOf(const std::vector<MetricSource>& hashed) {
    Sha256 hash;
    for (const MetricSource& source : hashed) add(hash, source.sha256);
    return hash.finish();
}

}  // namespace reelgrid::perception
