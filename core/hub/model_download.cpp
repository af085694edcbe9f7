#include "core/hub/model_download.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <mutex>
#include <set>
#include <thread>

#include "core/base/byte_count.h"
#include "core/hub/http.h"
#include "core/hub/needed_files.h"
#include "core/hub/pause.h"
#include "core/hub/refusal.h"
#include "core/hub/repository.h"

namespace reelgrid::hub {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostListBytes = std::size_t{16} << 20, kMostIndexBytes = std::size_t{1} << 20;
/// A thousand times the largest published models.
constexpr std::uint64_t kMostModelBytes = std::uint64_t{1} << 50;
constexpr std::size_t kAtATime = 4;
constexpr auto kTellEvery = std::chrono::milliseconds(200);

Error cancelled() {
    return {ErrorCode::Cancelled, "cancelled"};
}

std::string fileUrl(const HubAccess& access, const std::string& id, const std::string& commit,
                    const std::string& file) {
    return access.endpoint + "/" + id + "/resolve/" + commit + "/" + urlPath(file);
}

/// A small answer as text.
Result<std::string> fetchText(const HubAccess& access, const std::string& url, std::size_t most,
                              const Patience& patience, const std::stop_token& stop) {
    HttpAnswer answer;
    auto pause = patience.pause;
    int tries = 0;
    while (tries < patience.tries) {
        std::string text;
        bool tooLong = false;
        answer = httpGet(
            {.url = url, .token = access.token, .connect = patience.connect, .stall = patience.stall},
            [&](const HttpAnswer&, std::string_view bytes) {
                tooLong = text.size() + bytes.size() > most;
                if (!tooLong) text += bytes;
                return !tooLong;
            },
            stop);
        ++tries;
        if (stop.stop_requested()) return cancelled();
        if (tooLong)
            return Error{ErrorCode::InvalidData,
                         url + ": answers with more than " + std::to_string(most) + " bytes"};
        if (answer.ok()) return text;
        if (!answer.mayPass()) break;
        if (answer.status == 0 && tries > 1) break;  // no network, most likely: nobody waits long for that
        const auto wait = pauseAfter(answer, pause);
        if (!wait) break;
        if (tries < patience.tries && !pauseFor(*wait, stop)) return cancelled();
        pause *= 2;
    }
    Error error = refusal(answer, url, "no such model, or one that needs a token in HF_TOKEN");
    if (tries > 1 && answer.mayPass()) error.message += ", after " + std::to_string(tries) + " tries";
    return error;
}

bool isThere(const Repository& repository, const RemoteFile& file) {
    std::error_code failed;
    return fs::file_size(repository.blob(file.hash), failed) == file.size && !failed;
}

Result<void> checkRoom(const Repository& repository, std::uint64_t bytes) {
    std::error_code failed;
    fs::create_directories(repository.folder(), failed);
    if (failed)
        return Error{ErrorCode::Io, repository.folder().string() + ": can't be made: " + failed.message()};
    const auto room = fs::space(repository.folder(), failed);
    if (failed || room.available >= bytes) return {};
    return Error{ErrorCode::Io, repository.folder().string() + ": " + byteCount(bytes) + " are needed, " +
                                    byteCount(room.available) + " are free"};
}

/// Files that several threads take from, and the first error.
class Fetch {
  public:
    Fetch(const HubAccess& access, const ModelPlan& plan, const Repository& repository,
          const Patience& patience, std::vector<RemoteFile> missing)
        : m_access(access),
          m_plan(plan),
          m_repository(repository),
          m_patience(patience),
          m_missing(std::move(missing)) {}

    void work(const std::stop_token& stop) {
        const BytesCame came = [this](std::int64_t bytes) { m_bytes += bytes; };
        for (std::size_t i = m_next++; i < m_missing.size() && !stop.stop_requested(); i = m_next++) {
            const RemoteFile& file = m_missing[i];
            const auto done = downloadFile(fileUrl(m_access, m_plan.id, m_plan.commit, file.path),
                                           m_access.token, file, m_repository, m_patience, came, stop);
            if (done)
                ++m_files;
            else
                fail(done.error());
        }
    }

    [[nodiscard]] DownloadProgress progress() const {
        return {.bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(0, m_bytes)),
                .totalBytes = m_plan.missingBytes,
                .files = m_files,
                .totalFiles = static_cast<int>(m_missing.size())};
    }
    std::optional<Error> error() {
        const std::lock_guard lock(m_mutex);
        return m_error;
    }

  private:
    void fail(const Error& error) {
        const std::lock_guard lock(m_mutex);
        if (!m_error) m_error = error;
        m_next = m_missing.size();  // the others end what they have begun
    }

    const HubAccess& m_access;
    const ModelPlan& m_plan;
    const Repository& m_repository;
    const Patience& m_patience;
    std::vector<RemoteFile> m_missing;
    std::atomic<std::size_t> m_next = 0;
    std::atomic<std::int64_t> m_bytes = 0;
    std::atomic<int> m_files = 0;
    std::mutex m_mutex;
    std::optional<Error> m_error;
};

/// Everything missing has its blob afterwards.
Result<void> fetchBlobs(Fetch& fetch, const std::function<void(const DownloadProgress&)>& told,
                        const std::stop_token& stop) {
    {
        std::atomic<std::size_t> running = kAtATime;
        std::vector<std::jthread> workers;
        for (std::size_t i = 0; i < kAtATime; ++i)
            workers.emplace_back([&] {
                fetch.work(stop);
                --running;
            });
        while (running > 0) {
            told(fetch.progress());
            std::this_thread::sleep_for(kTellEvery);
        }
    }
    told(fetch.progress());
    if (stop.stop_requested()) return cancelled();
    if (auto error = fetch.error()) return *error;
    return {};
}

/// What a revision holds.
Result<FileList> listOf(const HubAccess& access, const std::string& id, const std::string& revision,
                        const Patience& patience, const std::stop_token& stop) {
    if (!isHubId(id)) return Error{ErrorCode::BadUsage, "model " + id + ": a hub id was needed, OWNER/NAME"};
    if (auto named = checkRevision(revision); !named) return named.error();
    if (access.offline)
        return Error{ErrorCode::BadUsage, "model " + id + ": HF_HUB_OFFLINE is set, nothing is downloaded"};
    const std::string url =
        access.endpoint + "/api/models/" + id + "/revision/" + urlPath(revision) + "?blobs=true";
    const auto text = fetchText(access, url, kMostListBytes, patience, stop);
    if (!text) return text.error().in("model " + id);
    return fileListFrom(*text, url);
}

/// A plan of files whose bytes are added up.
Result<ModelPlan> withSizes(const HubAccess& access, ModelPlan plan) {
    const Repository repository(access.cache, plan.id);
    std::set<std::string> counted;  // two names of the same contents are one blob
    for (const RemoteFile& file : plan.files) {
        if (!counted.insert(file.hash).second) continue;
        if (file.size > kMostModelBytes - plan.bytes)
            return Error{ErrorCode::InvalidData, "model " + plan.id + ": its files have more than " +
                                                     byteCount(kMostModelBytes) + " by what the hub says"};
        plan.bytes += file.size;
        if (!isThere(repository, file)) plan.missingBytes += file.size;
    }
    return plan;
}

}  // namespace

Result<ModelPlan> planModel(const HubAccess& access, const std::string& id, const std::string& revision,
                            const ComponentsOf& componentsOf, const Patience& patience,
                            const std::stop_token& stop) {
    const auto list = listOf(access, id, revision, patience, stop);
    if (!list) return list.error();
    const auto index = std::find_if(list->files.begin(), list->files.end(),
                                    [](const RemoteFile& file) { return file.path == "model_index.json"; });
    if (index == list->files.end())
        return Error{ErrorCode::Unsupported,
                     "model " + id +
                         ": it has no model_index.json, a repository in diffusers' layout was needed "
                         "(often the one whose name ends in -Diffusers)"};
    const auto contents =
        fetchText(access, fileUrl(access, id, list->commit, index->path), kMostIndexBytes, patience, stop);
    if (!contents) return contents.error().in("model " + id);
    const auto components = componentsOf(*contents);
    if (!components) return components.error();
    return withSizes(access, {.id = id,
                              .revision = revision,
                              .commit = list->commit,
                              .files = neededFiles(list->files, *components)});
}

Result<ModelPlan> planPart(const HubAccess& access, const PartId& part, const std::string& revision,
                           const Patience& patience, const std::stop_token& stop) {
    const auto list = listOf(access, part.id, revision, patience, stop);
    if (!list) return list.error();
    std::vector<RemoteFile> files;
    if (part.file.empty()) {
        const std::string top;
        files = neededFiles(list->files, {top});
        std::erase_if(files, [](const RemoteFile& file) { return file.path == "model_index.json"; });
        const auto isWeights = [](const RemoteFile& file) { return file.path.ends_with(".safetensors"); };
        if (std::ranges::none_of(files, isWeights)) files.clear();
    } else {
        std::ranges::copy_if(list->files, std::back_inserter(files),
                             [&](const RemoteFile& file) { return file.path == part.file; });
    }
    if (files.empty())
        return Error{ErrorCode::Unsupported,
                     "model " + part.id + ": it has no " +
                         (part.file.empty() ? "config.json with diffusion_pytorch_model.safetensors at its "
                                              "top; one of its files was needed, OWNER/NAME/FILE"
                                            : part.file)};
    return withSizes(
        access, {.id = part.id, .revision = revision, .commit = list->commit, .files = std::move(files)});
}

Result<ModelPlan> planFiles(const HubAccess& access, const std::string& id, const std::string& revision,
                            const FilesOf& filesOf, const std::string& needed, const Patience& patience,
                            const std::stop_token& stop) {
    const auto list = listOf(access, id, revision, patience, stop);
    if (!list) return list.error();
    std::vector<std::string> names;
    for (const RemoteFile& file : list->files) names.push_back(file.path);
    const std::vector<std::string> chosen = filesOf(names);
    const std::set<std::string> wanted(chosen.begin(), chosen.end());
    std::vector<RemoteFile> files;
    std::ranges::copy_if(list->files, std::back_inserter(files),
                         [&](const RemoteFile& file) { return wanted.contains(file.path); });
    if (files.empty()) return Error{ErrorCode::Unsupported, "model " + id + ": it has no " + needed};
    return withSizes(access,
                     {.id = id, .revision = revision, .commit = list->commit, .files = std::move(files)});
}

Result<fs::path> downloadModel(const HubAccess& access, const ModelPlan& plan, const Patience& patience,
                               const std::function<void(const DownloadProgress&)>& told,
                               const std::stop_token& stop) {
    const Repository repository(access.cache, plan.id);
    if (auto room = checkRoom(repository, plan.missingBytes); !room) return room.error();
    std::vector<RemoteFile> missing;
    std::set<std::string> listed;  // two names of the same contents are one blob
    for (const RemoteFile& file : plan.files)
        if (!isThere(repository, file) && listed.insert(file.hash).second) missing.push_back(file);
    Fetch fetch(access, plan, repository, patience, std::move(missing));
    if (auto fetched = fetchBlobs(fetch, told, stop); !fetched) return fetched.error();
    for (const RemoteFile& file : plan.files)
        if (auto linked = repository.link(plan.commit, file.path, file.hash); !linked) return linked.error();
    if (plan.revision != plan.commit)
        if (auto set = repository.setRevision(plan.revision, plan.commit); !set) return set.error();
    return repository.snapshot(plan.commit);
}

}  // namespace reelgrid::hub
