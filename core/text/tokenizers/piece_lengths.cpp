#include "core/text/tokenizers/piece_lengths.h"

#include <cstdint>
#include <optional>

#include "core/base/result.h"

namespace reelgrid::text {
namespace {

constexpr std::uint64_t kPiecesField = 1, kPieceTextField = 1;

/// The fields of one protobuf message, one after the other.
class MessageFields {
  public:
    struct Field {
        std::uint64_t number = 0;
        std::string_view bytes{};  ///< of a text or a message; empty for numbers
    };
    explicit MessageFields(std::string_view message) : m_left(message) {}

    [[nodiscard]] bool atEnd() const { return m_left.empty(); }
    /// Nothing when the rest isn't a field.
    std::optional<Field> next() {
        const auto tag = varint();
        if (!tag) return std::nullopt;
        Field field{.number = *tag >> 3};
        std::optional<std::uint64_t> size;
        switch (*tag & 7) {
            case 0:
                return varint() ? std::optional(field) : std::nullopt;
            case 1:
                size = 8;
                break;
            case 2:
                size = varint();
                break;
            case 5:
                size = 4;
                break;
            default:
                return std::nullopt;
        }
        if (!size || *size > m_left.size()) return std::nullopt;
        if ((*tag & 7) == 2) field.bytes = m_left.substr(0, *size);
        m_left.remove_prefix(*size);
        return field;
    }

  private:
    std::optional<std::uint64_t> varint() {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64 && !m_left.empty(); shift += 7) {
            const auto byte = static_cast<unsigned char>(m_left.front());
            m_left.remove_prefix(1);
            value |= std::uint64_t{byte & 0x7FU} << shift;
            if (byte < 0x80) return value;
        }
        return std::nullopt;
    }

    std::string_view m_left;
};

}  // namespace

void requireShortPieces(std::string_view proto, const std::string& origin) {
    const auto refuse = [&](const std::string& why) {
        throw Failure(ErrorCode::InvalidData, origin + ": " + why);
    };
    std::size_t id = 0;
    for (MessageFields model(proto); !model.atEnd();) {
        const auto field = model.next();
        if (!field) return refuse("not a SentencePiece model");
        if (field->number != kPiecesField) continue;
        for (MessageFields piece(field->bytes); !piece.atEnd();) {
            const auto part = piece.next();
            if (!part) return refuse("not a SentencePiece model");
            if (part->number == kPieceTextField && part->bytes.size() > kMaxPieceBytes)
                refuse("piece " + std::to_string(id) + " has " + std::to_string(part->bytes.size()) +
                       " bytes, at most " + std::to_string(kMaxPieceBytes) + " were needed");
        }
        ++id;
    }
}

}  // namespace reelgrid::text
