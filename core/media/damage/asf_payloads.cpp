#include "core/media/damage/asf_payloads.h"

#include <algorithm>
#include <cstddef>

namespace reelgrid::media {
namespace {

/// Bytes of a field whose two bits say so.
int bytesOf(int flags, int shift) {
    const int kind = flags >> shift & 3;
    return kind == 3 ? 4 : kind;
}

std::uint64_t mostOf(int bytes) {
    return (std::uint64_t{1} << 8 * bytes) - 1;
}

}  // namespace

/// Reads a packet's fields; past its end they are zeros.
struct AsfPayloads::Fields {
    std::string_view bytes;
    std::size_t at = 0;

    std::uint64_t number(int count) {
        std::uint64_t value = 0;
        for (int i = 0; i < count; ++i, ++at)
            if (at < bytes.size()) value |= std::uint64_t{static_cast<unsigned char>(bytes[at])} << 8 * i;
        return value;
    }
};

bool AsfPayloads::follows(std::string_view bytes) {
    constexpr int kHasCorrection = 0x80, kCorrectionBytes = 0xF, kMeansNothing = 0x70, kHasSeveral = 1,
                  kLeastPayload = 6, kTimes = 6;
    Fields packet{bytes};
    int lengths = static_cast<int>(packet.number(1));
    if ((lengths & kHasCorrection) != 0) {
        std::uint64_t correction = 0;
        for (int i = lengths & kCorrectionBytes; i > 0; --i) correction |= packet.number(1);
        // FFmpeg passes over a packet whose correction isn't two zeros, as all writers have it.
        if ((lengths & kMeansNothing) != 0 || correction != 0) return false;
        lengths = static_cast<int>(packet.number(1));
    }
    const int properties = static_cast<int>(packet.number(1));
    const std::uint64_t said = packet.number(bytesOf(lengths, 5));
    packet.number(bytesOf(lengths, 1));
    const std::uint64_t padding = packet.number(bytesOf(lengths, 3));
    packet.at += kTimes;
    const std::size_t size = said == 0 ? bytes.size() : std::min<std::size_t>(said, bytes.size());
    if (packet.at + padding > size) return false;
    const std::size_t end = size - padding;
    if ((lengths & kHasSeveral) == 0) return takePayload(packet, properties, 0, end);
    const int payloads = static_cast<int>(packet.number(1));
    for (int i = payloads & 0x3F; i > 0; --i)
        if (!takePayload(packet, properties, bytesOf(payloads, 6), end)) return false;
    return packet.at + kLeastPayload > end;  // some writers leave a few bytes
}

/// `lengthBytes`: of the payload's own length; 0: it goes on to `end`.
bool AsfPayloads::takePayload(Fields& packet, int properties, int lengthBytes, std::size_t end) {
    constexpr std::uint64_t kCompressed = 1, kHasSize = 8;
    const int stream = static_cast<int>(packet.number(1)) & 0x7F;
    const int numberBytes = bytesOf(properties, 4);
    const std::uint64_t number = packet.number(numberBytes);
    const std::uint64_t offset = packet.number(bytesOf(properties, 2));
    const std::uint64_t more = packet.number(bytesOf(properties, 0));
    const std::size_t behindMore = packet.at + more;
    const std::uint64_t size = more >= kHasSize ? packet.number(4) : 0;
    packet.at = behindMore;
    const std::uint64_t length =
        lengthBytes > 0 ? packet.number(lengthBytes) : end - std::min(end, packet.at);
    packet.at += length;
    if (packet.at > end || stream == 0 || length == 0 || (more >= kHasSize && size == 0)) return false;
    // FFmpeg passes over what is of no stream.
    if (!m_streams.empty() && !m_streams.contains(stream)) return false;
    // Several small ones in a payload, or one whose size isn't said.
    if (more == kCompressed || size == 0) {
        m_last.erase(stream);
        return true;
    }
    const auto [last, isFirst] = m_last.try_emplace(stream);
    Object& object = last->second;
    if (object.bytes < object.size) {
        if (number != object.number || offset != object.bytes || size != object.size) return false;
    } else {
        // A recording may begin within a frame.
        if (!isFirst && (offset != 0 || number != ((object.number + 1) & mostOf(numberBytes)))) return false;
        object = {number, size, offset};
    }
    object.bytes += length;
    return object.bytes <= object.size;
}

bool AsfPayloads::isComplete() const {
    return std::ranges::all_of(m_last,
                               [](const auto& last) { return last.second.bytes >= last.second.size; });
}

}  // namespace reelgrid::media
