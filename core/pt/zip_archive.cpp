#include "core/pt/zip_archive.h"

#include <cstring>
#include <optional>

#include "core/base/result.h"
#include "core/pt/refuse.h"
#include "core/pt/zip_layout.h"

namespace reelgrid::pt {
namespace {

/// Little-endian numbers at places that are within the bytes.
class Bytes {
  public:
    explicit Bytes(std::string_view bytes) : m_bytes(bytes) {}

    [[nodiscard]] std::uint64_t size() const { return m_bytes.size(); }
    /// `what` names the part in the message when it is not all there.
    [[nodiscard]] std::string_view part(std::uint64_t at, std::uint64_t size, const std::string& what) const {
        if (at > m_bytes.size() || size > m_bytes.size() - at)
            refuse(what + " of " + std::to_string(size) + " bytes at byte " + std::to_string(at) +
                   " is beyond its end at byte " + std::to_string(m_bytes.size()) +
                   ": a whole file was needed");
        return m_bytes.substr(at, size);
    }
    template <class T>
    [[nodiscard]] T number(std::uint64_t at) const {
        T value = 0;
        std::memcpy(&value, part(at, sizeof value, "a number").data(), sizeof value);
        return value;
    }

  private:
    std::string_view m_bytes;
};

struct Directory {
    std::uint64_t entries = 0, offset = 0, size = 0;
};

/// The last record of the archive, behind which only a comment may stand.
std::uint64_t findEnd(const Bytes& archive) {
    constexpr std::uint64_t kMaxComment = 0xFFFF;
    for (std::uint64_t comment = 0; comment <= kMaxComment; ++comment) {
        if (archive.size() < kEndBytes + comment) break;
        const std::uint64_t at = archive.size() - kEndBytes - comment;
        if (archive.number<std::uint32_t>(at) == kEndSignature &&
            archive.number<std::uint16_t>(at + 20) == comment)
            return at;
    }
    refuse(
        "a zip archive, as torch.save makes them since PyTorch 1.6, was needed; it has no end record: cut "
        "short, or another format");
}

Directory directoryOf(const Bytes& archive) {
    const std::uint64_t end = findEnd(archive);
    const bool in64 =
        end >= kLocator64Bytes && archive.number<std::uint32_t>(end - kLocator64Bytes) == kLocator64Signature;
    if (!in64)
        return {archive.number<std::uint16_t>(end + 10), archive.number<std::uint32_t>(end + 16),
                archive.number<std::uint32_t>(end + 12)};
    const auto end64 = archive.number<std::uint64_t>(end - kLocator64Bytes + 8);
    const Bytes record(archive.part(end64, kEnd64Bytes, "its zip64 end record"));
    if (record.number<std::uint32_t>(0) != kEnd64Signature) refuse("its zip64 end record is none");
    return {record.number<std::uint64_t>(32), record.number<std::uint64_t>(48),
            record.number<std::uint64_t>(40)};
}

/// One record of the directory.
struct Record {
    std::uint16_t flags, method;
    std::uint32_t crc;
    std::uint64_t packed, size, local;
    std::string name;
    std::uint64_t bytes;  ///< of the record
};

/// The numbers that did not fit stand in the extra field, in a fixed order.
void readExtra64(Record& record, const Bytes& extra) {
    for (std::uint64_t at = 0; at + 4 <= extra.size();) {
        const auto id = extra.number<std::uint16_t>(at);
        const auto size = extra.number<std::uint16_t>(at + 2);
        const Bytes field(extra.part(at + 4, size, "an extra field"));
        at += 4 + std::uint64_t{size};
        if (id != kExtra64) continue;
        std::uint64_t next = 0;
        for (std::uint64_t* value : {&record.size, &record.packed, &record.local}) {
            if (*value != kIn64) continue;
            *value = field.number<std::uint64_t>(next);
            next += 8;
        }
    }
}

Record recordAt(const Bytes& directory, std::uint64_t at) {
    const Bytes fixed(directory.part(at, kCentralBytes, "a directory entry"));
    if (fixed.number<std::uint32_t>(0) != kCentralSignature) refuse("an entry of its directory is none");
    const auto name = fixed.number<std::uint16_t>(28);
    const auto extra = fixed.number<std::uint16_t>(30);
    const auto comment = fixed.number<std::uint16_t>(32);
    Record record{.flags = fixed.number<std::uint16_t>(8),
                  .method = fixed.number<std::uint16_t>(10),
                  .crc = fixed.number<std::uint32_t>(16),
                  .packed = fixed.number<std::uint32_t>(20),
                  .size = fixed.number<std::uint32_t>(24),
                  .local = fixed.number<std::uint32_t>(42),
                  .name = std::string(directory.part(at + kCentralBytes, name, "an entry's name")),
                  .bytes = kCentralBytes + std::uint64_t{name} + extra + comment};
    readExtra64(record, Bytes(directory.part(at + kCentralBytes + name, extra, "an extra field")));
    return record;
}

std::string_view contentOf(const Bytes& archive, const Record& record) {
    const std::string entry = "entry " + shownName(record.name);
    if ((record.flags & kEncrypted) != 0) refuse(entry + " is encrypted");
    if (record.method != kStored || record.packed != record.size)
        refuse(entry + " is compressed (method " + std::to_string(record.method) +
               "): stored entries, as torch.save makes them, were needed");
    const Bytes header(archive.part(record.local, kLocalBytes, "the header of " + entry));
    if (header.number<std::uint32_t>(0) != kLocalSignature)
        refuse(entry + " has no header where it should be");
    const std::uint64_t data =
        record.local + kLocalBytes + header.number<std::uint16_t>(26) + header.number<std::uint16_t>(28);
    return archive.part(data, record.size, entry);
}

}  // namespace

ZipEntries zipEntries(std::string_view bytes) {
    const Bytes archive(bytes);
    const Directory directory = directoryOf(archive);
    const Bytes records(archive.part(directory.offset, directory.size, "its directory"));
    ZipEntries entries;
    std::uint64_t at = 0;
    for (std::uint64_t i = 0; i < directory.entries; ++i) {
        const Record record = recordAt(records, at);
        at += record.bytes;
        if (!entries.emplace(record.name, ZipEntry{contentOf(archive, record), record.crc}).second)
            refuse("it has two entries " + shownName(record.name));
    }
    return entries;
}

}  // namespace reelgrid::pt
