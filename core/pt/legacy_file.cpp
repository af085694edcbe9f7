#include "core/pt/legacy_file.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <string>

#include "core/pt/refuse.h"
#include "core/pt/unpickler.h"

namespace reelgrid::pt {
namespace {

/// A pickle of the number 0x1950a86a20f9469cfc6c.
constexpr std::string_view kLegacyMagic("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19\x2e", 15);
constexpr std::int64_t kLegacyVersion = 1001;
constexpr std::uint64_t kWidestElement = 16;
constexpr std::size_t kMostLegacyPickleBytes = std::size_t{64} << 20;

class LegacyFile {
  public:
    explicit LegacyFile(std::shared_ptr<const safetensors::MappedFile> file)
        : m_file(std::move(file)), m_bytes(m_file->bytes()) {}

    Value value() {
        m_at = kLegacyMagic.size();
        const Value version = next();
        if (const auto* number = version.as<std::int64_t>(); number == nullptr || *number != kLegacyVersion)
            refuse("its version is not " + std::to_string(kLegacyVersion));
        const Value system = next();
        const auto* dict = system.as<Dict>();
        const Value* little = dict == nullptr ? nullptr : dict->find("little_endian");
        if (little == nullptr || little->as<bool>() == nullptr || !*little->as<bool>())
            refuse("its numbers are not little-endian");
        const std::size_t object = m_at;
        // Where storages begin is known once the pickle has been read: first it is only measured.
        std::map<std::string, std::uint64_t> sizes;
        const auto rest = std::make_shared<const Storage>(Storage{m_bytes, m_file});
        next([&](const std::string& key, std::uint64_t bytes) {
            std::uint64_t& known = sizes[key];
            known = std::max(known, bytes);
            return rest;
        });
        placeStorages(next(), sizes);
        m_at = object;
        return next([this](const std::string& key, std::uint64_t) { return m_storages.at(key); });
    }

  private:
    Value next(const StorageByKey& storages = [](const std::string& key,
                                                 std::uint64_t) -> std::shared_ptr<const Storage> {
        refuse("it has no storage " + shownName(key));
    }) {
        std::size_t taken = 0;
        const std::string_view pickle = m_bytes.substr(m_at, kMostLegacyPickleBytes);
        Value value = unpickled(pickle, storages, &taken);
        m_at += taken;
        return value;
    }

    /// Each with its number of elements in front, in the order of the list of their keys.
    void placeStorages(const Value& keys, const std::map<std::string, std::uint64_t>& sizes) {
        const auto* list = keys.as<List>();
        if (list == nullptr) refuse("it has no list of its storages");
        for (const Value& item : list->items) {
            const auto* key = item.as<std::string>();
            const auto size = key == nullptr ? sizes.end() : sizes.find(*key);
            if (size == sizes.end()) refuse("its list of storages names one that no tensor has");
            const std::uint64_t needed = sizeof(std::int64_t) + size->second;
            if (m_bytes.size() - m_at < needed)
                refuse("it ends within storage " + shownName(*key) + ": " +
                       std::to_string(m_bytes.size() - m_at) + " bytes are left, " + std::to_string(needed) +
                       " were needed");
            std::int64_t elements = 0;
            std::memcpy(&elements, m_bytes.data() + m_at, sizeof elements);
            m_at += sizeof elements;
            const std::uint64_t width = elements > 0 ? size->second / std::uint64_t(elements) : 0;
            if (elements < 0 || width > kWidestElement || width * std::uint64_t(elements) != size->second)
                refuse("storage " + shownName(*key) + " says that it has " + std::to_string(elements) +
                       " elements, its tensors need " + std::to_string(size->second) + " bytes");
            m_storages[*key] =
                std::make_shared<const Storage>(Storage{m_bytes.substr(m_at, size->second), m_file});
            m_at += size->second;
        }
        for (const auto& [key, size] : sizes)
            if (!m_storages.contains(key)) refuse("it has no storage " + shownName(key));
        if (m_at != m_bytes.size())
            refuse("it has " + std::to_string(m_bytes.size() - m_at) +
                   " bytes behind its last storage, none " + "were needed");
    }

    std::shared_ptr<const safetensors::MappedFile> m_file;
    std::string_view m_bytes;
    std::size_t m_at = 0;
    std::map<std::string, std::shared_ptr<const Storage>> m_storages;
};

}  // namespace

bool isLegacy(std::string_view bytes) {
    return bytes.starts_with(kLegacyMagic);
}

Value legacyValue(std::shared_ptr<const safetensors::MappedFile> file) {
    return LegacyFile(std::move(file)).value();
}

}  // namespace reelgrid::pt
