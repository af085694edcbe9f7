#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace reelgrid::media {

/// Reads forward through a file, knowing where it ends.
class ByteWalk {
  public:
    explicit ByteWalk(const std::filesystem::path& path);
    [[nodiscard]] std::int64_t at() const { return m_at; }
    [[nodiscard]] std::int64_t size() const { return m_size; }
    [[nodiscard]] bool isPastEnd() const { return m_at > m_size; }

    /// −1 at the end, which it then is past.
    int byte();
    /// A number of that many bytes; those past the end have all bits set.
    std::int64_t number(int bytes, std::endian order);
    /// So many bytes; those past the end have all bits set.
    std::string text(int bytes);
    /// As text(), but they are still to be read then.
    std::string peek(int bytes);
    /// Goes on until so many bytes in a row pass, or to the end; whether they did.
    bool find(std::size_t bytes, const std::function<bool(std::string_view)>& passes);
    /// Goes on behind the next place where these bytes are, or to the end; whether they are there.
    bool findText(std::string_view text) { return findText(text, m_size); }
    /// Before that end alone.
    bool findText(std::string_view text, std::int64_t end);
    /// Forward alone. Short steps stay within what the file has buffered.
    void skip(std::int64_t count);

  private:
    struct CloseFile {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    std::unique_ptr<std::FILE, CloseFile> m_file;
    std::int64_t m_size = 0;
    std::int64_t m_at = 0;
};

/// Whether a format's list of types or numbers has this one.
bool isOneOf(const auto& which, const auto& list) {
    return std::ranges::find(list, which) != std::ranges::end(list);
}

/// Whether a type of four letters can be one: no byte of it is a control character or beyond ASCII.
bool isPrintable(std::string_view type);

/// What a demuxer passes over until it finds a part that it knows, so that frames would be missing without a
/// word: "what it has at byte 90 is no page of Ogg"
std::string noPart(std::int64_t place, const char* part);

/// What a file that may end anywhere ends with where it was overwritten, or never written: far more of one
/// byte than the sector that writers pad.
std::optional<std::string> unwrittenEnd(const std::filesystem::path& path);

/// "it has 90 of at least 144 bytes"
std::string bytesMissing(std::int64_t has, std::int64_t needed);
std::string bytesMissing(const ByteWalk& file);

}  // namespace reelgrid::media
