#include "core/text/tokenizers/proto_fields.h"

#include <bit>
#include <limits>

#include "core/base/result.h"

namespace reelgrid::text {
namespace {

/// The fields of one message as they are read.
class MessageFields {
  public:
    explicit MessageFields(std::string_view message) : m_left(message) {}

    [[nodiscard]] bool atEnd() const { return m_left.empty(); }
    /// Nothing when the rest isn't a field.
    std::optional<ProtoField> next() {
        const std::string_view from = m_left;
        std::optional<ProtoField> field = read();
        if (field) field->whole = from.substr(0, from.size() - m_left.size());
        return field;
    }

  private:
    std::optional<ProtoField> read() {
        const auto tag = varint();
        // Protobuf drops the bits above, and would see another field than we do.
        if (!tag || *tag > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
        ProtoField field{.number = *tag >> 3};
        std::optional<std::uint64_t> size;
        switch (*tag & 7) {
            case 0:
                field.integer = varint();
                return field.integer ? std::optional(field) : std::nullopt;
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
        if ((*tag & 7) == 5) field.real = realOf(m_left.substr(0, *size));
        m_left.remove_prefix(*size);
        return field;
    }
    /// The lowest byte first.
    static float realOf(std::string_view bytes) {
        std::uint32_t bits = 0;
        for (std::size_t i = 0; i < bytes.size(); ++i)
            bits |= std::uint32_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
        return std::bit_cast<float>(bits);
    }
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

void eachField(std::string_view message, const std::string& origin,
               const std::function<void(const ProtoField&)>& see) {
    for (MessageFields fields(message); !fields.atEnd();) {
        const auto field = fields.next();
        if (!field) throw Failure(ErrorCode::InvalidData, origin + ": not a SentencePiece model");
        see(*field);
    }
}

}  // namespace reelgrid::text
