#include "app/cli/model_download.h"

#include "app/cli/console.h"
#include "app/cli/interrupt.h"
#include "app/cli/progress_line.h"
#include "core/base/byte_count.h"
#include "core/base/number_text.h"
#include "core/catalog/model_catalog.h"
#include "core/catalog/model_folder.h"
#include "core/catalog/model_parts.h"
#include "core/hub/hub_access.h"
#include "core/hub/model_download.h"
#include "core/hub/repository.h"

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

}  // namespace

Result<fs::path> download(const std::string& id, const std::string& revision) {
    return downloadBase(id, revision, {});
}

Result<families::ModelInfo> findOrDownload(const protocol::RenderRequest& request) {
    if (hub::HubAccess::fromEnvironment().offline) return catalog::findModel(request);
    const auto parts = catalog::namedParts(request);
    if (auto base = catalog::findModel(request.model);
        !base && base.error().code == ErrorCode::NotFound && hub::isHubId(request.model))
        if (auto downloaded = downloadBase(request.model, kMain, parts); !downloaded)
            return downloaded.error();
    for (const catalog::NamedPart& part : parts)
        if (auto brought = bringPart(part); !brought) return brought.error();
    return catalog::findModel(request);
}

Result<fs::path> findOrDownloadComponent(const std::string& id, const std::string& component) {
    const hub::HubAccess access = hub::HubAccess::fromEnvironment();
    std::error_code failed;
    const fs::path present = hub::Repository(access.cache, id).presentSnapshot() / component;
    if (fs::exists(present / "config.json", failed)) return present;
    const InterruptWatch interrupts;
    auto plan = hub::planModel(
        access, id, kMain,
        [&](const std::string&) -> Result<std::vector<std::string>> { return std::vector{component}; }, {},
        interrupts.token());
    if (!plan) return plan.error();
    // Without its index nobody takes the snapshot for a whole model.
    plan->files.pop_back();
    auto folder = fetch(access, *plan, interrupts.token());
    if (!folder) return folder.error();
    return *folder / component;
}

}  // namespace reelgrid::cli
