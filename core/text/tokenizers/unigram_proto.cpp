#include "core/text/tokenizers/unigram_proto.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "core/base/json.h"
#include "core/base/result.h"

namespace reelgrid::text {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxPieces = std::size_t{1} << 22;

// Field numbers of ModelProto and its messages.
enum Field : std::uint32_t {
    kPieces = 1,
    kTrainer = 2,
    kNormalizer = 3,
    kPieceText = 1,
    kPieceScore = 2,
    kPieceType = 3,
    kModelType = 3,
    kAddDummyPrefix = 3,
    kRemoveExtraWhitespaces = 4,
    kEscapeWhitespaces = 5,
};
enum PieceType : std::uint64_t { kNormal = 1, kUnknown = 2 };
constexpr std::uint64_t kUnigram = 1;

/// One protobuf message as it is written.
class Message {
  public:
    void varint(Field field, std::uint64_t value) {
        tag(field, 0);
        raw(value);
    }
    void bytes(Field field, const std::string& value) {
        tag(field, 2);
        raw(value.size());
        m_bytes += value;
    }
    void number(Field field, float value) {
        tag(field, 5);
        const auto bits = std::bit_cast<std::uint32_t>(value);
        for (int shift = 0; shift < 32; shift += 8) m_bytes += static_cast<char>((bits >> shift) & 0xFF);
    }
    [[nodiscard]] const std::string& text() const { return m_bytes; }

  private:
    void tag(Field field, std::uint32_t wireType) { raw((std::uint64_t{field} << 3) | wireType); }
    void raw(std::uint64_t value) {
        for (; value >= 0x80; value >>= 7) m_bytes += static_cast<char>((value & 0x7F) | 0x80);
        m_bytes += static_cast<char>(value);
    }

    std::string m_bytes;
};

}  // namespace

std::string unigramProto(const json& model, const std::string& origin) {
    const auto invalid = [&](const std::string& what) {
        return Failure(ErrorCode::InvalidData, origin + ": " + what);
    };
    if (!model.is_object()) throw invalid("it has no model, a unigram vocabulary was needed");
    if (const auto type = model.find("type"); type != model.end() && *type != "Unigram")
        throw Failure(ErrorCode::Unsupported, origin + ": the model's type is " + showJson(*type) +
                                                  ", this version needs \"Unigram\"");
    const auto vocabulary = model.find("vocab");
    const auto unknownId = model.find("unk_id");
    if (vocabulary == model.end() || !vocabulary->is_array() || vocabulary->empty() ||
        vocabulary->size() > kMaxPieces)
        throw invalid("the model's vocab isn't a list of up to " + std::to_string(kMaxPieces) + " pieces");
    if (unknownId == model.end() || !unknownId->is_number_unsigned() ||
        unknownId->get<std::uint64_t>() >= vocabulary->size())
        throw invalid("the model's unk_id isn't the place of one of its " +
                      std::to_string(vocabulary->size()) + " pieces");

    Message proto;
    for (std::size_t id = 0; id < vocabulary->size(); ++id) {
        const json& entry = (*vocabulary)[id];
        if (!entry.is_array() || entry.size() != 2 || !entry[0].is_string() || !entry[1].is_number())
            throw invalid("piece " + std::to_string(id) + " is " + showJson(entry) +
                          ", a text and its score was needed");
        const auto text = entry[0].get<std::string>();
        const auto score = entry[1].get<float>();
        if (text.empty() || text.find('\0') != text.npos || !std::isfinite(score))
            throw invalid("piece " + std::to_string(id) + " is " + showJson(entry) +
                          ", a text without zero bytes and a finite score was needed");
        Message piece;
        piece.bytes(kPieceText, text);
        piece.number(kPieceScore, score);
        piece.varint(kPieceType, id == unknownId->get<std::size_t>() ? kUnknown : kNormal);
        proto.bytes(kPieces, piece.text());
    }
    Message trainer;
    trainer.varint(kModelType, kUnigram);
    proto.bytes(kTrainer, trainer.text());
    Message normalizer;
    for (const Field off : {kAddDummyPrefix, kRemoveExtraWhitespaces, kEscapeWhitespaces})
        normalizer.varint(off, 0);
    proto.bytes(kNormalizer, normalizer.text());
    return proto.text();
}

}  // namespace reelgrid::text
