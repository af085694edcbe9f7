#include "core/media/damage/byte_walk.h"

#include <algorithm>
#include <array>

namespace reelgrid::media {

ByteWalk::ByteWalk(const std::filesystem::path& path) : m_file(std::fopen(path.c_str(), "rb")) {
    std::error_code failed;
    m_size = std::int64_t(std::filesystem::file_size(path, failed));
    if (failed || !m_file) m_size = 0;
}

int ByteWalk::byte() {
    if (m_at++ >= m_size) return -1;
    return std::fgetc(m_file.get());
}

std::int64_t ByteWalk::number(int bytes, std::endian order) {
    std::int64_t value = 0;
    for (int i = 0; i < bytes; ++i) {
        const std::int64_t next = byte() & 0xFF;
        value = order == std::endian::big ? value << 8 | next : value | next << (8 * i);
    }
    return value;
}

std::string ByteWalk::text(int bytes) {
    std::string text(std::size_t(std::max(bytes, 0)), '\xFF');
    const bool reads = m_at < m_size && !text.empty();
    if (reads && std::fread(text.data(), 1, text.size(), m_file.get()) == 0) m_at = m_size;
    m_at += std::int64_t(text.size());
    return text;
}

std::string ByteWalk::peek(int bytes) {
    const std::int64_t at = m_at;
    std::string next = text(bytes);
    m_at = at;
    if (m_file) std::fseek(m_file.get(), long(m_at), SEEK_SET);
    return next;
}

bool ByteWalk::find(std::size_t bytes, const std::function<bool(std::string_view)>& passes) {
    std::string last;
    while (m_at < m_size) {
        last += char(byte());
        if (last.size() < bytes) continue;
        if (passes(last)) return true;
        last.erase(0, 1);
    }
    return false;
}

bool ByteWalk::findText(std::string_view wanted, std::int64_t end) {
    constexpr std::int64_t kPiece = 1 << 16;
    std::string last;  // the end of what was read, in which they may begin
    end = std::min(end, m_size);
    while (m_at < end) {
        const std::int64_t from = m_at - std::int64_t(last.size());
        last += text(int(std::min(kPiece, end - m_at)));
        if (const std::size_t place = last.find(wanted); place != std::string::npos) {
            m_at = from + std::int64_t(place + wanted.size());
            std::fseek(m_file.get(), long(m_at), SEEK_SET);
            return true;
        }
        last.erase(0, last.size() - std::min(last.size(), wanted.size() - 1));
    }
    return false;
}

void ByteWalk::skip(std::int64_t count) {
    constexpr std::int64_t kFar = std::int64_t{1} << 60;  // more than any file has, and no overflow
    count = std::clamp<std::int64_t>(count, 0, kFar);
    m_at += count;
    if (isPastEnd()) return;
    constexpr std::int64_t kShort = 4096;
    std::array<char, kShort> passed{};
    if (count <= kShort)
        m_at = std::fread(passed.data(), 1, std::size_t(count), m_file.get()) == std::size_t(count)
                   ? m_at
                   : m_size + 1;
    else
        std::fseek(m_file.get(), long(m_at), SEEK_SET);
}

bool isPrintable(std::string_view type) {
    return std::ranges::all_of(type, [](char letter) { return letter >= ' ' && letter <= '~'; });
}

std::string noPart(std::int64_t place, const char* part) {
    return "what it has at byte " + std::to_string(place) + " is no " + part;
}

std::optional<std::string> unwrittenEnd(const std::filesystem::path& path) {
    constexpr std::int64_t kMostPadding = 4096;
    ByteWalk file(path);
    if (file.size() < kMostPadding) return std::nullopt;
    file.skip(file.size() - kMostPadding);
    const std::string end = file.text(int(kMostPadding));
    if (end.find_first_not_of(end.back()) != std::string::npos) return std::nullopt;
    return "its last " + std::to_string(kMostPadding) + " bytes are all the same";
}

std::string bytesMissing(std::int64_t has, std::int64_t needed) {
    return "it has " + std::to_string(has) + " of at least " + std::to_string(needed) + " bytes";
}

std::string bytesMissing(const ByteWalk& file) {
    return bytesMissing(file.size(), file.at());
}

}  // namespace reelgrid::media
