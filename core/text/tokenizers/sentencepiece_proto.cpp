#include "core/text/tokenizers/sentencepiece_proto.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/base/json.h"
#include "core/base/result.h"

namespace reelgrid::text {
namespace {

constexpr std::uint64_t kPiecesField = 1, kTrainerField = 2, kNormalizerField = 3, kSelfTestField = 4;
constexpr std::uint64_t kPieceTextField = 1, kPieceScoreField = 2, kModelTypeField = 3, kCharsmapField = 2;
constexpr std::uint64_t kUnigramType = 1;
/// A normalizer (field 3, 6 bytes) that neither adds a prefix nor removes or escapes white space (3, 4, 5:
/// 0).
constexpr std::string_view kNoNormalizer{"\x1a\x06\x18\x00\x20\x00\x28\x00", 8};

/// The fields of one protobuf message, one after the other.
class MessageFields {
  public:
    struct Field {
        std::uint64_t number = 0;
        std::string_view bytes{};                ///< of a text or a message; empty for numbers
        std::optional<std::uint64_t> integer{};  ///< of a varint
        std::optional<float> real{};             ///< of four bytes
        std::string_view whole{};                ///< as it is written, number and all
    };
    explicit MessageFields(std::string_view message) : m_left(message) {}

    [[nodiscard]] bool atEnd() const { return m_left.empty(); }
    /// Nothing when the rest isn't a field.
    std::optional<Field> next() {
        const std::string_view from = m_left;
        std::optional<Field> field = read();
        if (field) field->whole = from.substr(0, from.size() - m_left.size());
        return field;
    }

  private:
    std::optional<Field> read() {
        const auto tag = varint();
        if (!tag) return std::nullopt;
        Field field{.number = *tag >> 3};
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

/// Calls see(field) for each field of a message.
template <class See>
void eachField(std::string_view message, const std::string& origin, const See& see) {
    for (MessageFields fields(message); !fields.atEnd();) {
        const auto field = fields.next();
        if (!field) throw Failure(ErrorCode::InvalidData, origin + ": not a SentencePiece model");
        see(*field);
    }
}

}  // namespace

SentencePieceParts partsOf(std::string_view proto, const std::string& origin) {
    SentencePieceParts parts;
    eachField(proto, origin, [&](const MessageFields::Field& field) {
        // The library would run the model's own tests, which need its normalizer.
        if (field.number != kNormalizerField && field.number != kSelfTestField)
            parts.wordModel += field.whole;
        if (field.number != kNormalizerField) return;
        eachField(field.bytes, origin, [&](const MessageFields::Field& of) {
            if (of.number == kCharsmapField) parts.charsmap = of.bytes;
        });
    });
    parts.wordModel += kNoNormalizer;
    return parts;
}

void requirePlainPieces(std::string_view proto, const std::string& origin) {
    std::size_t id = 0;
    eachField(proto, origin, [&](const MessageFields::Field& field) {
        if (field.number != kPiecesField) return;
        std::string_view text;
        std::optional<float> endless;
        const auto invalid = [&](const std::string& what) {
            throw Failure(ErrorCode::InvalidData, origin + ": piece " + std::to_string(id) + what);
        };
        eachField(field.bytes, origin, [&](const MessageFields::Field& of) {
            if (of.number == kPieceScoreField && of.real && !std::isfinite(*of.real)) endless = of.real;
            if (of.number != kPieceTextField) return;
            text = of.bytes;
            if (text.find('\0') != std::string_view::npos)
                invalid(" has a character of code 0, text was needed");
            if (text.size() > kMaxPieceBytes)
                invalid(" has " + std::to_string(text.size()) + " bytes, at most " +
                        std::to_string(kMaxPieceBytes) + " were needed");
        });
        if (endless)
            invalid(", " + showJson(nlohmann::json(text)) + ", has the score " + std::to_string(*endless) +
                    ", a finite number was needed");
        ++id;
    });
}

void requireUnigram(std::string_view proto, const std::string& origin) {
    eachField(proto, origin, [&](const MessageFields::Field& field) {
        if (field.number != kTrainerField) return;
        eachField(field.bytes, origin, [&](const MessageFields::Field& of) {
            if (of.number != kModelTypeField || !of.integer || *of.integer == kUnigramType) return;
            constexpr std::array kNames{"", "", " (BPE)", " (WORD)", " (CHAR)"};
            throw Failure(ErrorCode::Unsupported,
                          origin + ": trainer_spec.model_type is " + std::to_string(*of.integer) +
                              (*of.integer < kNames.size() ? kNames.at(*of.integer) : "") +
                              ", this version needs 1 (UNIGRAM)");
        });
    });
}

}  // namespace reelgrid::text
