#include "app/cli/model_download.h"

#include <algorithm>

#include "app/cli/console.h"
#include "app/cli/interrupt.h"
#include "app/cli/progress_line.h"
#include "app/cli/request_pictures.h"
#include "core/base/byte_count.h"
#include "core/base/joined.h"
#include "core/base/number_text.h"
#include "core/catalog/bare_files.h"
#include "core/catalog/model_catalog.h"
#include "core/catalog/model_folder.h"
#include "core/catalog/model_parts.h"
#include "core/hub/hub_access.h"
#include "core/hub/model_download.h"
#include "core/hub/repository.h"
#include "core/perception/metric_weights.h"

namespace reelgrid::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMain = "main";
constexpr double kMegabyte = 1e6;

/// How fast it goes, for the time that is left.
class Rate {
  public:
    [[nodiscard]] double secondsLeft(const hub::DownloadProgress& now) const {
        const double seconds = std::chrono::duration<double>(Clock::now() - m_begun).count();
        if (now.bytes == 0 || seconds < 1) return -1;
        return seconds * static_cast<double>(now.totalBytes - std::min(now.bytes, now.totalBytes)) /
               static_cast<double>(now.bytes);
    }

  private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point m_begun = Clock::now();
};

Result<fs::path> fetch(const hub::HubAccess& access, const hub::ModelPlan& plan, std::stop_token stop) {
    if (plan.missingBytes > 0)
        say("model " + plan.id + ": downloading " + byteCount(plan.missingBytes) + " of " +
            byteCount(plan.bytes) + " from " + access.endpoint + " into " + access.cache.string());
    ProgressLine line;
    const Rate rate;
    auto folder = hub::downloadModel(
        access, plan, {},
        [&](const hub::DownloadProgress& now) {
            if (now.totalFiles > 0)
                line.update(plan.id, "MB", static_cast<int>(static_cast<double>(now.bytes) / kMegabyte),
                            static_cast<int>(static_cast<double>(now.totalBytes) / kMegabyte),
                            rate.secondsLeft(now));
        },
        stop);
    line.clear();
    return folder;
}

/// What a pipeline needs of its repository where some parts come from elsewhere.
Result<std::vector<std::string>> componentsBeside(const std::vector<catalog::NamedPart>& parts,
                                                  const std::string& id, const std::string& modelIndex) {
    auto index = families::ModelIndex::parse(modelIndex, id);
    if (!index) return index.error();
    for (const catalog::NamedPart& part : parts) index->name(part.component);
    return catalog::neededComponents(*index);
}

Result<fs::path> downloadBase(const std::string& id, const std::string& revision,
                              const std::vector<catalog::NamedPart>& parts) {
    const hub::HubAccess access = hub::HubAccess::fromEnvironment();
    const InterruptWatch interrupts;
    const auto plan = hub::planModel(
        access, id, revision, [&](const std::string& index) { return componentsBeside(parts, id, index); },
        {}, interrupts.token());
    if (plan) return fetch(access, *plan, interrupts.token());
    if (plan.error().code != ErrorCode::Unsupported) return plan.error();
    const auto bare = hub::planFiles(access, id, revision, catalog::transformerFiles,
                                     "transformer's .pth file", {}, interrupts.token());
    if (!bare) return plan.error();
    return fetch(access, *bare, interrupts.token());
}

/// A network of --metrics, in transformers' layout.
Result<fs::path> downloadMetricModel(const std::string& id, const std::string& revision) {
    const hub::HubAccess access = hub::HubAccess::fromEnvironment();
    const InterruptWatch interrupts;
    const auto plan =
        hub::planFiles(access, id, revision, perception::metricModelFiles,
                       "config.json with model.safetensors or pytorch_model.bin", {}, interrupts.token());
    if (!plan) return plan.error();
    return fetch(access, *plan, interrupts.token());
}

/// Nothing to do for what is on the disk, or is no part of the hub.
Result<void> bringPart(const catalog::NamedPart& part) {
    const auto id = hub::partIdFrom(part.source);
    if (catalog::findPart(part) || !id) return {};
    const hub::HubAccess access = hub::HubAccess::fromEnvironment();
    const InterruptWatch interrupts;
    const auto plan = hub::planPart(access, *id, kMain, {}, interrupts.token());
    if (!plan) return plan.error();
    const auto fetched = fetch(access, *plan, interrupts.token());
    if (!fetched) return fetched.error();
    return {};
}

/// A bare transformer of the hub is brought with what it comes without, but for `parts`; anything else as a
/// model's folder.
Result<fs::path> bring(const std::string& id, const std::string& revision,
                       const std::vector<catalog::NamedPart>& parts) {
    if (perception::isMetricModel(id)) return downloadMetricModel(id, revision);
    fs::path folder;
    if (catalog::bareFileOf(id).empty()) {
        const auto part = hub::partIdFrom(id);
        const bool isFile = part && !part->file.empty();
        auto base = isFile ? findOrDownloadFile(id) : downloadBase(id, revision, parts);
        if (!base) return base;
        folder = isFile ? base->parent_path() : *base;
    }
    const fs::path transformer = catalog::bareFileOf(id);
    if (transformer.empty() || catalog::findModel(id)) return folder;
    for (const families::Companion& companion : catalog::companionsOf(transformer)) {
        const bool isNamed = std::ranges::any_of(
            parts, [&](const catalog::NamedPart& part) { return part.component == companion.component; });
        if (isNamed) continue;
        if (auto file = findOrDownloadFile(std::string(companion.file)); !file) return file.error();
    }
    return folder.empty() ? transformer.parent_path() : folder;
}

/// What a repository lacks isn't found out by downloading what it has.
Result<void> checkWhole(const std::string& id, const fs::path& folder) {
    const auto without = catalog::componentsWithoutWeights(folder);
    if (!without) return without.error();
    if (without->empty()) return {};
    return Error{
        ErrorCode::InvalidData,
        "model " + id + ": its repository lacks what is needed of " + joined(*without) +
            ", which its model_index.json names (safetensors weights, or a config); the rest is in " +
            folder.string()};
}

}  // namespace

Result<fs::path> download(const std::string& id, const std::string& revision) {
    auto folder = bring(id, revision, {});
    if (!folder) return folder;
    if (auto whole = checkWhole(id, *folder); !whole) return whole.error();
    return folder;
}

Result<families::ModelInfo> findOrDownload(const protocol::RenderRequest& request) {
    if (hub::HubAccess::fromEnvironment().offline) return catalog::findModel(request);
    const auto parts = catalog::namedParts(request);
    if (auto base = catalog::findModel(request.model);
        !base && base.error().code == ErrorCode::NotFound && catalog::isOnHub(request.model)) {
        // Gigabytes aren't downloaded for a picture that isn't there.
        if (auto readable = requirePictures(request); !readable) return readable.error();
        if (auto brought = bring(request.model, kMain, parts); !brought) return brought.error();
    }
    for (const catalog::NamedPart& part : parts)
        if (auto brought = bringPart(part); !brought) return brought.error();
    return catalog::findModel(request);
}

Result<fs::path> findOrDownloadFile(const std::string& partId) {
    const auto part = hub::partIdFrom(partId);
    if (!part || part->file.empty())
        return Error{ErrorCode::BadUsage, partId + ": a file of the hub was needed, OWNER/NAME/FILE"};
    const hub::HubAccess access = hub::HubAccess::fromEnvironment();
    const hub::Repository repository(access.cache, part->id);
    if (const fs::path present = repository.presentPart(part->file); !present.empty()) return present;
    const InterruptWatch interrupts;
    const auto plan = hub::planPart(access, *part, kMain, {}, interrupts.token());
    if (!plan) return plan.error();
    const auto folder = fetch(access, *plan, interrupts.token());
    if (!folder) return folder.error();
    return *folder / part->file;
}

Result<fs::path> findOrDownloadComponent(const std::string& id, const std::string& component) {
    const hub::HubAccess access = hub::HubAccess::fromEnvironment();
    std::error_code failed;
    const fs::path present = hub::Repository(access.cache, id).presentSnapshot() / component;
    if (fs::exists(present / "config.json", failed)) return present;
    if (fs::path file = catalog::componentFileIn(present.parent_path(), component); !file.empty())
        return file;
    if (access.offline)
        return Error{ErrorCode::NotFound, "model " + id + ": its " + component + " is not in " +
                                              access.cache.string() +
                                              ", and HF_HUB_OFFLINE is set: nothing is downloaded"};
    const InterruptWatch interrupts;
    auto plan = hub::planModel(
        access, id, kMain,
        [&](const std::string&) -> Result<std::vector<std::string>> { return std::vector{component}; }, {},
        interrupts.token());
    if (!plan && plan.error().code == ErrorCode::Unsupported) {
        // Authors have it as a file at the top: Wan2.1_VAE.pth.
        const auto bare = hub::planFiles(
            access, id, kMain, [&](const auto& all) { return catalog::componentFiles(all, component); },
            component, {}, interrupts.token());
        if (!bare) return plan.error();
        const auto folder = fetch(access, *bare, interrupts.token());
        if (!folder) return folder.error();
        return *folder / bare->files.front().path;
    }
    if (!plan) return plan.error();
    // Without its index nobody takes the snapshot for a whole model.
    plan->files.pop_back();
    auto folder = fetch(access, *plan, interrupts.token());
    if (!folder) return folder.error();
    return *folder / component;
}

}  // namespace reelgrid::cli
