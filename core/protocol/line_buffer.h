#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace reelgrid::protocol {

/// Cuts a stream of bytes into lines (without their line feeds) and never holds more than `maxBytes` of an
/// unfinished one.
class LineBuffer {
  public:
    explicit LineBuffer(std::size_t maxBytes) : m_maxBytes(maxBytes) {}

    void append(std::string_view bytes) { m_bytes.append(bytes); }

    /// The next whole line, if there is one.
    std::optional<std::string> next() {
        const auto end = m_bytes.find('\n', m_start);
        if (end == std::string::npos) {
            m_bytes.erase(0, m_start);
            m_start = 0;
            return std::nullopt;
        }
        std::string line = m_bytes.substr(m_start, end - m_start);
        m_start = end + 1;
        return line;
    }

    /// True when what is left after the last whole line is longer than a line may be: stop reading then.
    [[nodiscard]] bool overflowed() const { return m_bytes.size() - m_start > m_maxBytes; }

  private:
    std::size_t m_maxBytes;
    std::string m_bytes;
    std::size_t m_start = 0;
};

}  // namespace reelgrid::protocol
