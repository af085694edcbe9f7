#include "core/fleet/outgoing.h"

#include "core/base/sha256.h"
#include "core/catalog/model_catalog.h"
#include "core/fleet/model_identity.h"
#include "core/fleet/request_files.h"

namespace reelgrid::fleet {
namespace {

namespace fs = std::filesystem;
constexpr std::uint64_t kMib = std::uint64_t{1} << 20;

std::string hashOfText(const std::string& text) {
    return sha256Hex(text);
}

}  // namespace

Result<std::string> Outgoing::send(const fs::path& file, const std::vector<fs::path>& companions,
                                   const protocol::ProgressCallback& told) {
    std::vector<fs::path> files{file};
    files.insert(files.end(), companions.begin(), companions.end());
    std::string content;
    std::uint64_t bytes = 0;
    std::vector<std::string> hashes;
    for (const fs::path& each : files) {
        const auto hash = m_hasher->hashFile(each);
        if (!hash) return hash.error();
        content += hash->sha256 + "  " + each.filename().string() + "\n";
        bytes += hash->bytes;
        hashes.push_back(hash->sha256);
    }
    const std::string folder = hashOfText(content);
    const std::string name = folder + "/" + file.filename().string();
    if (!m_sent.contains(name)) {
        protocol::RenderProgress now{.stage = "sending", .total = int((bytes + kMib - 1) / kMib)};
        std::uint64_t done = 0;
        for (std::size_t i = 0; i < files.size(); ++i) {
            const auto sent = sendFile(files[i], folder + "/" + files[i].filename().string(), hashes[i],
                                       m_send, [&](std::uint64_t more) {
                                           done += more;
                                           if (now.done == int(done / kMib)) return;
                                           now.done = int(done / kMib);
                                           told(now);
                                       });
            if (!sent) return sent.error();
        }
        m_sent.insert(name);
    }
    return kSentMark + name;
}

/// Built-in models and hub ids go by their names; a folder or a file by what is in it.
Result<void> Outgoing::sendModel(std::string& model) {
    if (!fs::path(model).is_absolute()) return {};
    const auto found = catalog::findModel(model);
    if (!found) return found.error();
    auto hashes = identityOf(*found, *m_hasher);
    if (!hashes) return hashes.error();
    std::string content;
    for (const auto& [component, hash] : *hashes) content += hash + "  " + component + "\n";
    const std::string name = hashOfText(content);
    if (!m_sent.contains(name)) {
        const auto sent =
            m_send(toLine(ModelDescribed{name, model, found->family, found->bytes(), *std::move(hashes)}));
        if (!sent) return sent;
        m_sent.insert(name);
    }
    model = kSentMark + name;
    return {};
}

Result<void> Outgoing::sendFilesOf(protocol::RenderRequest& request, const protocol::ProgressCallback& told) {
    if (auto sent = sendModel(request.model); !sent) return sent;
    return forEachFile(request, [&](const std::string& key, std::string& path) -> Result<void> {
        auto name = send(path, companionsOf(key, path), told);
        if (!name) return name.error();
        path = *std::move(name);
        return {};
    });
}

}  // namespace reelgrid::fleet
