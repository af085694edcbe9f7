#include "core/pt/pt_file.h"

#include <map>

#include "core/base/pending_file.h"
#include "core/pt/crc32.h"
#include "core/pt/legacy_file.h"
#include "core/pt/pickler.h"
#include "core/pt/refuse.h"
#include "core/pt/unpickler.h"
#include "core/pt/zip_archive.h"
#include "core/pt/zip_writer.h"
#include "core/safetensors/mapped_file.h"

namespace reelgrid::pt {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPickleName = "data.pkl";
constexpr std::string_view kStorageFolder = "data/";
constexpr std::string_view kByteOrderName = "byteorder";
constexpr std::string_view kByteOrder = "little";
constexpr std::string_view kVersionName = "version";
constexpr std::string_view kArchiveVersion = "3\n";
/// The largest that was seen is below 1 MiB; a mixture of experts has a few.
constexpr std::size_t kMaxPickleBytes = std::size_t{64} << 20;

/// The folder that everything in the archive is in, with its slash.
std::string prefixOf(const ZipEntries& entries) {
    std::string prefix;
    for (const auto& [name, entry] : entries) {
        const std::size_t slash = name.find('/');
        if (slash == name.npos || name.substr(slash + 1) != kPickleName) continue;
        if (!prefix.empty()) refuse("it has data.pkl in two folders, in one was needed");
        prefix = name.substr(0, slash + 1);
    }
    if (prefix.empty()) refuse("a zip archive without data.pkl: one of torch.save was needed");
    return prefix;
}

class Archive {
  public:
    Archive(std::shared_ptr<const safetensors::MappedFile> file, Checked checked)
        : m_file(std::move(file)),
          m_entries(zipEntries(m_file->bytes())),
          m_prefix(prefixOf(m_entries)),
          m_checked(checked) {}

    Value value() {
        if (const ZipEntry* order = find(kByteOrderName); order != nullptr && order->bytes != kByteOrder)
            refuse("its numbers are not little-endian");
        const ZipEntry& pickle = *find(kPickleName);
        if (pickle.bytes.size() > kMaxPickleBytes)
            refuse("its data.pkl has " + std::to_string(pickle.bytes.size()) + " bytes, at most " +
                   std::to_string(kMaxPickleBytes) + " were needed");
        if (crc32(pickle.bytes) != pickle.crc) refuse("its data.pkl is damaged: the checksum is another");
        return unpickled(pickle.bytes,
                         [this](const std::string& key, std::uint64_t) { return storage(key); });
    }

  private:
    const ZipEntry* find(std::string_view name) const {
        const auto found = m_entries.find(m_prefix + std::string(name));
        return found == m_entries.end() ? nullptr : &found->second;
    }
    std::shared_ptr<const Storage> storage(const std::string& key) {
        std::shared_ptr<const Storage>& known = m_storages[key];
        if (known) return known;
        const ZipEntry* entry = find(std::string(kStorageFolder) + key);
        if (entry == nullptr) refuse("it has no storage " + shownName(key));
        // PyTorch writes none where it was told not to compute them (torch.serialization.set_crc32_options).
        const auto crc = entry->crc != 0 ? std::optional(entry->crc) : std::nullopt;
        if (m_checked == Checked::AllBytes && crc && crc32(entry->bytes) != *crc)
            refuse("its storage " + shownName(key) + " is damaged: the checksum is another");
        return known = std::make_shared<const Storage>(Storage{entry->bytes, m_file, crc});
    }

    std::shared_ptr<const safetensors::MappedFile> m_file;
    ZipEntries m_entries;
    std::string m_prefix;
    Checked m_checked;
    std::map<std::string, std::shared_ptr<const Storage>> m_storages;
};

}  // namespace

Result<Value> readPt(const fs::path& file, Checked checked) {
    std::shared_ptr<const safetensors::MappedFile> mapped;
    try {
        mapped = safetensors::MappedFile::open(file);
    } catch (const Failure& failure) {
        return failure.error();
    }
    try {
        return isLegacy(mapped->bytes()) ? legacyValue(std::move(mapped))
                                         : Archive(std::move(mapped), checked).value();
    } catch (const Failure& failure) {
        return failure.error().in(file.string());
    }
}

Result<void> writePt(const fs::path& file, const Value& value) {
    auto pending = PendingFile::create(file);
    if (!pending) return pending.error();
    try {
        const Pickled made = pickled(value);
        // torch.save names the folder in the archive after the file.
        const std::string prefix = file.stem().string() + "/";
        ZipWriter zip(pending->path());
        zip.add(prefix + std::string(kPickleName), made.pickle);
        zip.add(prefix + std::string(kByteOrderName), kByteOrder);
        for (std::size_t i = 0; i < made.storages.size(); ++i)
            zip.add(prefix + std::string(kStorageFolder) + std::to_string(i), made.storages[i]->bytes);
        zip.add(prefix + std::string(kVersionName), kArchiveVersion);
        zip.finish();
    } catch (const Failure& failure) {
        return failure.error().in("writing " + file.string());
    }
    return pending->commit();
}

}  // namespace reelgrid::pt
