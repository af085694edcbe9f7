#include "core/pt/zip_writer.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/base/result.h"
#include "core/pt/crc32.h"
#include "core/pt/zip_layout.h"

namespace reelgrid::pt {
namespace {

constexpr std::uint64_t kAlignment = 64;
constexpr std::uint16_t kPadding = 0x4246;  ///< an extra field that says nothing, as PyTorch names it
constexpr std::uint16_t kVersion = 20;
constexpr std::uint16_t kVersion64 = 45;
/// 1 January 1980, the first day that zip knows: the time would make equal captures differ.
constexpr std::uint16_t kTime = 0, kDate = 0x21;

/// Little-endian numbers one after another.
class ZipRecord {
  public:
    template <class T>
    ZipRecord& put(T value) {
        char bytes[sizeof value];
        std::memcpy(bytes, &value, sizeof value);
        m_bytes.append(bytes, sizeof value);
        return *this;
    }
    ZipRecord& text(std::string_view bytes) {
        m_bytes += bytes;
        return *this;
    }
    [[nodiscard]] const std::string& bytes() const { return m_bytes; }

  private:
    std::string m_bytes;
};

std::uint32_t upTo32(std::uint64_t value) {
    return std::uint32_t(std::min<std::uint64_t>(value, kIn64));
}

/// Zip64's extra field with the numbers that don't fit.
std::string extra64(std::initializer_list<std::uint64_t> values) {
    ZipRecord numbers;
    for (const std::uint64_t value : values)
        if (value >= kIn64) numbers.put(value);
    if (numbers.bytes().empty()) return {};
    return ZipRecord().put(kExtra64).put(std::uint16_t(numbers.bytes().size())).text(numbers.bytes()).bytes();
}

/// An extra field after which something stands at a multiple of kAlignment.
std::string padding(std::uint64_t at) {
    constexpr std::uint64_t kHead = 4;
    const std::uint64_t bytes = (kAlignment - (at + kHead) % kAlignment) % kAlignment;
    return ZipRecord().put(kPadding).put(std::uint16_t(bytes)).text(std::string(bytes, 'Z')).bytes();
}

}  // namespace

ZipWriter::ZipWriter(const std::filesystem::path& file) : m_file(file), m_stream(file, std::ios::binary) {
    put({});
}

void ZipWriter::put(std::string_view bytes) {
    m_stream.write(bytes.data(), std::streamsize(bytes.size()));
    m_written += bytes.size();
    if (!m_stream)
        throw Failure(ErrorCode::Io,
                      "can't write " + std::to_string(bytes.size()) + " bytes: " + std::strerror(errno));
}

void ZipWriter::add(const std::string& name, std::string_view content) {
    const std::uint64_t size = content.size(), local = m_written;
    const std::uint32_t crc = crc32(content);
    // Both sizes or none: a local header may not leave one of them out.
    const std::string sizes64 = extra64({size, size});
    const std::string extra = sizes64 + padding(local + kLocalBytes + name.size() + sizes64.size());
    const std::string all64 = extra64({size, size, local});

    // What both of an entry's headers say after the version.
    const auto described = [&](ZipRecord& header, const std::string& fields) -> ZipRecord& {
        return header.put(kNamesAreUtf8)
            .put(kStored)
            .put(kTime)
            .put(kDate)
            .put(crc)
            .put(upTo32(size))
            .put(upTo32(size))
            .put(std::uint16_t(name.size()))
            .put(std::uint16_t(fields.size()));
    };
    ZipRecord localHeader;
    localHeader.put(kLocalSignature).put(sizes64.empty() ? kVersion : kVersion64);
    put(described(localHeader, extra).text(name).text(extra).bytes());
    put(content);
    constexpr std::uint16_t kNoComment = 0, kFirstDisk = 0, kBinary = 0;
    constexpr std::uint32_t kNoAttributes = 0;
    ZipRecord centralHeader;
    centralHeader.put(kCentralSignature).put(kVersion64).put(all64.empty() ? kVersion : kVersion64);
    m_directory += described(centralHeader, all64)
                       .put(kNoComment)
                       .put(kFirstDisk)
                       .put(kBinary)
                       .put(kNoAttributes)
                       .put(upTo32(local))
                       .text(name)
                       .text(all64)
                       .bytes();
    ++m_entries;
}

void ZipWriter::finish() {
    const std::uint64_t directory = m_written, size = m_directory.size();
    put(m_directory);
    constexpr std::uint32_t kFirstDisk = 0, kOneDisk = 1;
    if (directory >= kIn64 || size >= kIn64 || m_entries >= kIn64Short) {
        const std::uint64_t end64 = m_written;
        put(ZipRecord()
                .put(kEnd64Signature)
                .put(std::uint64_t{kEnd64Bytes - 12})
                .put(kVersion64)
                .put(kVersion64)
                .put(kFirstDisk)
                .put(kFirstDisk)
                .put(m_entries)
                .put(m_entries)
                .put(size)
                .put(directory)
                .bytes());
        put(ZipRecord().put(kLocator64Signature).put(kFirstDisk).put(end64).put(kOneDisk).bytes());
    }
    const auto entries = std::uint16_t(std::min<std::uint64_t>(m_entries, kIn64Short));
    put(ZipRecord()
            .put(kEndSignature)
            .put(kFirstDisk)  // two numbers of 16 bits
            .put(entries)
            .put(entries)
            .put(upTo32(size))
            .put(upTo32(directory))
            .put(std::uint16_t{0})
            .bytes());
    m_stream.close();
    if (!m_stream) throw Failure(ErrorCode::Io, std::string("can't close it: ") + std::strerror(errno));
}

}  // namespace reelgrid::pt
