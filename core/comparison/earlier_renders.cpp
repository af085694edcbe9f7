#include "core/comparison/earlier_renders.h"

#include <algorithm>

#include "core/base/folder.h"
#include "core/protocol/ranks.h"
#include "core/protocol/result_paths.h"
#include "core/result/clip_result.h"

namespace reelgrid::comparison {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostRenders = 500;

bool isFolder(const fs::path& path) {
    std::error_code failed;
    return fs::is_directory(path, failed);
}

double volumeOf(const catalog::RenderSettings& settings) {
    return double(settings.width) * double(settings.height) * double(settings.numFrames);
}

/// The steps of the loop, but for a sampler that makes one of them twice.
double stepsOf(const catalog::RenderSettings& settings) {
    return double(settings.numInferenceSteps) * std::max(1, settings.freeInit);
}

/// Both passes of classifier-free guidance or one.
double passesOf(const catalog::RenderSettings& settings) {
    return settings.guidanceScale > 1 ? 2 : 1;
}

/// The seconds that the settings would take if they ran as the earlier render did.
double scaled(const EarlierRender& earlier, const catalog::RenderSettings& settings) {
    const catalog::RenderSettings& then = earlier.settings;
    const double denoise = earlier.denoiseSeconds.value_or(0);
    const double rest = earlier.renderSeconds - denoise;
    const double size = volumeOf(settings) / volumeOf(then);
    const double steps = stepsOf(settings) * passesOf(settings) / (stepsOf(then) * passesOf(then));
    return (denoise * size * steps + rest * size) * double(settings.numRepetitions);
}

}  // namespace

EarlierRenders::EarlierRenders(const fs::path& results, const std::stop_token& stop) {
    for (const fs::path& folder : foldersNewestFirst(results)) {
        if (stop.stop_requested() || m_renders.size() >= kMostRenders) return;
        readFolder(folder);
        readFolder(folder / protocol::kResultsFolder);
    }
}

void EarlierRenders::readFolder(const fs::path& folder) {
    const auto entries = entriesOf(folder);
    if (!entries) return;
    for (const auto& entry : *entries) {
        std::error_code failed;
        if (!entry.is_regular_file(failed) || !isFolder(protocol::resultFolderOf(entry.path()))) continue;
        result::ClipResult read = result::readClipResult(entry.path());
        const auto timing = read.timing();
        if (!read.problems.empty() || !read.manifest.settings || !timing) continue;
        m_renders.push_back({entry.path(), read.manifest.modelId, *std::move(read.manifest.settings),
                             timing->stage("denoise"), timing->renderSeconds()});
    }
}

std::optional<RenderEstimate> EarlierRenders::estimate(const std::string& model,
                                                       const catalog::RenderSettings& settings) const {
    using From = RenderEstimate::From;
    const std::string attention = catalog::attentionName(settings);
    std::map<From, std::vector<double>> found;
    for (const EarlierRender& earlier : m_renders) {
        const catalog::RenderSettings& then = earlier.settings;
        const bool comparable = earlier.modelId == model && then.device == settings.device &&
                                then.dtype == settings.dtype &&
                                protocol::ranksOf(then) == protocol::ranksOf(settings) &&
                                earlier.denoiseSeconds && volumeOf(then) > 0 && then.numInferenceSteps > 0;
        if (!comparable) continue;
        const bool sameSize = volumeOf(then) == volumeOf(settings);
        const bool sameBackend = catalog::attentionName(then) == attention;
        const From from = !sameSize ? From::OtherSize : sameBackend ? From::Same : From::OtherBackend;
        found[from].push_back(scaled(earlier, settings));
    }
    if (found.empty()) return std::nullopt;
    auto& [from, seconds] = *found.begin();
    // The middle one: a render on a busy machine is no rule.
    std::ranges::sort(seconds);
    return RenderEstimate{seconds[seconds.size() / 2], from};
}

fs::path EarlierRenders::identical(const protocol::RenderRequest& request,
                                   const catalog::RenderSettings& settings,
                                   const families::ModelInfo& model) {
    for (const EarlierRender& earlier : m_renders) {
        if (earlier.modelId != model.id || earlier.settings.seed != settings.seed ||
            earlier.settings.prompt != settings.prompt ||
            catalog::attentionName(earlier.settings) != catalog::attentionName(settings))
            continue;
        auto& check = m_checks[model.folder.string()];
        if (!check) check = std::make_shared<EarlierResults>(model);
        protocol::RenderRequest there = request;
        there.output = earlier.clip.string();
        if (check->look(there, settings).state == EarlierResult::State::Same) return earlier.clip;
    }
    return {};
}

Result<void> reuseResult(const fs::path& from, const fs::path& to) {
    const auto failure = [&](const std::error_code& why) {
        return Error{ErrorCode::Io,
                     to.string() + ": can't be put beside " + from.string() + ": " + why.message()};
    };
    std::error_code failed;
    fs::create_directories(to.parent_path(), failed);
    if (failed) return failure(failed);
    const fs::path folder = protocol::resultFolderOf(to);
    // Not hard links for the companions: `compare` writes metrics.json anew in its place.
    fs::copy(protocol::resultFolderOf(from), folder,
             fs::copy_options::recursive | fs::copy_options::overwrite_existing, failed);
    if (failed) return failure(failed);
    fs::path beside = to;
    beside += ".reused";
    fs::remove(beside, failed);
    fs::create_hard_link(from, beside, failed);
    if (failed) fs::copy_file(from, beside, failed);
    if (failed) return failure(failed);
    fs::rename(beside, to, failed);
    if (failed) return failure(failed);
    return {};
}

}  // namespace reelgrid::comparison
