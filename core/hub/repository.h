#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace reelgrid::hub {

/// "Wan-AI/Wan2.1-T2V-1.3B-Diffusers": owner and name.
bool isHubId(const std::string& text);

/// BadUsage naming the revision that is no branch, tag or commit by git's rules for their names, which keep
/// a path of them inside its folder.
Result<void> checkRevision(const std::string& revision);

/// A part of a model on the hub: "guoyww/animatediff/mm_sd_v15_v2.ckpt".
struct PartId {
    std::string id;    ///< OWNER/NAME
    std::string file;  ///< inside the repository; empty: what lies at its top
};

/// Nothing for what is neither OWNER/NAME nor a file of it.
std::optional<PartId> partIdFrom(const std::string& text);

/// One repository's folder in the Hugging Face cache: blobs by their hashes, and a snapshot of links to them
/// for each commit.
class Repository {
  public:
    /// `id`: isHubId().
    Repository(const std::filesystem::path& cache, const std::string& id);

    [[nodiscard]] const std::filesystem::path& folder() const { return m_folder; }
    [[nodiscard]] std::filesystem::path blob(const std::string& hash) const;
    /// The lock that Hugging Face's own programs take while they write the blob.
    [[nodiscard]] std::filesystem::path lockOf(const std::string& hash) const;
    [[nodiscard]] std::filesystem::path snapshot(const std::string& commit) const;
    /// The snapshot that refs/main names, else the only one; empty when there is none.
    [[nodiscard]] std::filesystem::path presentSnapshot() const;

    /// The file of the present snapshot, or the snapshot itself where a part's configuration is there; empty:
    /// not in the cache.
    [[nodiscard]] std::filesystem::path presentPart(const std::string& file) const;

    /// Io, naming the folder, where what is in the cache of it can't be looked at; not being there is no
    /// error.
    [[nodiscard]] Result<void> requireReadable() const;

    /// Makes `file` of the snapshot a relative link to the blob; Io.
    [[nodiscard]] Result<void> link(const std::string& commit, const std::string& file,
                                    const std::string& hash) const;
    /// Writes which commit a branch or tag is at; checkRevision()'s errors.
    [[nodiscard]] Result<void> setRevision(const std::string& revision, const std::string& commit) const;

  private:
    std::filesystem::path m_folder, m_locks;
};

/// The ids of the cached repositories of models, sorted; none where there is no cache. Io where it can't be
/// read.
Result<std::vector<std::string>> cachedIds(const std::filesystem::path& cache);

}  // namespace reelgrid::hub
