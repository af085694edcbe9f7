#include "core/perception/metric_weights.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "core/base/folder.h"
#include "core/base/link_check.h"
#include "core/hub/hub_access.h"
#include "core/hub/repository.h"

namespace reelgrid::perception {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTorchWeights = "pytorch_model.bin";
constexpr std::array kEndings{".pth", ".pt", ".ckpt", ".safetensors"};

fs::path torchCheckpoints() {
    const char* named = std::getenv("TORCH_HOME");
    if (named != nullptr && *named != '\0') return fs::path(named) / "hub/checkpoints";
    const char* home = std::getenv("HOME");
    return home == nullptr ? fs::path() : fs::path(home) / ".cache/torch/hub/checkpoints";
}

fs::path snapshotOf(const std::string& hubId) {
    return hub::Repository(hub::HubAccess::fromEnvironment().cache, hubId).presentSnapshot();
}

/// Sorted, so that the same one is taken everywhere; none where there is no such folder. Throws Failure where
/// it can't be read.
/// A link whose target is gone is among them: whoever opens it says so.
std::vector<fs::path> weightFilesIn(const fs::path& folder) {
    std::vector<fs::path> files;
    const auto entries = entriesOf(folder);
    if (!entries && entries.error().code == ErrorCode::NotFound) return files;
    if (!entries) throw Failure(entries.error().in("weights of metrics"));
    std::error_code failed;
    for (const fs::directory_entry& entry : *entries)
        if (std::ranges::find(kEndings, entry.path().extension().string()) != kEndings.end() &&
            (entry.is_regular_file(failed) || faultOfLink(entry.path())))
            files.push_back(entry.path());
    std::ranges::sort(files);
    return files;
}

bool isModel(const fs::path& folder) {
    std::error_code failed;
    return fs::is_regular_file(folder / "config.json", failed);
}

}  // namespace

bool isMetricModel(const std::string& hubId) {
    return hubId == kClipBase || hubId == kClipLarge || hubId == kDino;
}

std::vector<std::string> metricModelFiles(const std::vector<std::string>& all) {
    const auto has = [&](const char* name) { return std::ranges::find(all, name) != all.end(); };
    const char* weights = has("model.safetensors") ? "model.safetensors" : kTorchWeights;
    if (!has("config.json") || !has(weights)) return {};
    std::vector<std::string> files{"config.json", weights};
    for (const char* name : {"preprocessor_config.json", "vocab.json", "merges.txt", "tokenizer_config.json",
                             "special_tokens_map.json"})
        if (has(name)) files.emplace_back(name);
    return files;
}

MetricWeights::MetricWeights(const std::string& named) {
    std::error_code failed;
    if (!named.empty()) {
        m_named = named;
        if (!fs::is_directory(m_named, failed))
            m_named = hub::isHubId(named) ? snapshotOf(named) : fs::path();
        if (m_named.empty())
            throw Failure(ErrorCode::NotFound,
                          "--metric-weights " + named +
                              ": neither a folder nor a repository in the Hugging Face cache (`reelgrid-cli "
                              "models download OWNER/NAME/FILE` brings a file of one)");
        m_folders = {m_named, m_named / "lpips/weights/v0.1", m_named / "weights/v0.1", m_named / "v0.1"};
    }
    if (const fs::path checkpoints = torchCheckpoints(); !checkpoints.empty())
        m_folders.push_back(checkpoints);
}

std::string MetricWeights::lookedIn() const {
    const fs::path checkpoints = torchCheckpoints();
    if (m_named.empty())
        return "no --metric-weights was given" +
               (checkpoints.empty() ? "" : ", and " + checkpoints.string() + " lacks it");
    if (checkpoints.empty()) return "--metric-weights " + m_named.string() + " lacks it";
    return "neither --metric-weights " + m_named.string() + " nor " + checkpoints.string() + " has it";
}

fs::path MetricWeights::file(const std::string& metric, const std::vector<std::string>& beginnings,
                             const std::string& needed) const {
    for (const std::string& beginning : beginnings)
        for (const fs::path& folder : m_folders)
            for (const fs::path& file : weightFilesIn(folder))
                if (file.filename().string().starts_with(beginning)) return file;
    throw Failure(ErrorCode::NotFound, metric + " needs weights: " + needed + "; " + lookedIn());
}

fs::path MetricWeights::modelFolder(const std::string& hubId) const {
    const std::string name = hubId.substr(hubId.find('/') + 1);
    if (!m_named.empty()) {
        if (isModel(m_named / name)) return m_named / name;
        if (isModel(m_named) && (m_named.filename() == name || shownWeights(m_named) == hubId))
            return m_named;
    }
    const fs::path snapshot = snapshotOf(hubId);
    return isModel(snapshot) ? snapshot : fs::path();
}

fs::path MetricWeights::requireModel(const std::string& metric, const std::string& hubId) const {
    const fs::path folder = modelFolder(hubId);
    if (!folder.empty()) return folder;
    hub::Repository(hub::HubAccess::fromEnvironment().cache, hubId).requireReadable().value();
    throw Failure(ErrorCode::NotFound, metric + " needs weights: " + hubId +
                                           "; `reelgrid-cli models download " + hubId +
                                           "` brings them, or --metric-weights names a folder with " +
                                           hubId.substr(hubId.find('/') + 1));
}

std::string shownWeights(const fs::path& path) {
    // …/models--OWNER--NAME/snapshots/COMMIT
    const std::string repository = path.parent_path().parent_path().filename().string();
    constexpr std::string_view kModels = "models--";
    if (path.parent_path().filename() != "snapshots" || !repository.starts_with(kModels))
        return path.filename().string();
    std::string id = repository.substr(kModels.size());
    if (const std::size_t gap = id.find("--"); gap != std::string::npos) id.replace(gap, 2, "/");
    return id;
}

}  // namespace reelgrid::perception
