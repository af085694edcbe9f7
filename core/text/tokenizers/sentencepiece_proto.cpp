#include "core/text/tokenizers/sentencepiece_proto.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/text/tokenizers/charsmap_parts.h"
#include "core/text/tokenizers/proto_fields.h"

namespace reelgrid::text {
namespace {

constexpr std::uint64_t kPiecesField = 1, kTrainerField = 2, kNormalizerField = 3, kSelfTestField = 4,
                        kDenormalizerField = 5;
constexpr std::uint64_t kPieceTextField = 1, kPieceScoreField = 2, kPieceTypeField = 3, kModelTypeField = 3,
                        kCharsmapField = 2;
constexpr std::uint64_t kUnigramType = 1, kUserDefinedType = 4;
constexpr std::size_t kMaxUserDefinedOfAText = 64;
/// A normalizer (field 3, 6 bytes) that neither adds a prefix nor removes or escapes white space (3, 4, 5:
/// 0).
constexpr std::string_view kNoNormalizer{"\x1a\x06\x18\x00\x20\x00\x28\x00", 8};

/// Calls see(field) for each field of the messages that `proto` has as its field `number`.
void eachFieldOf(std::uint64_t number, std::string_view proto, const std::string& origin,
                 const std::function<void(const ProtoField&)>& see) {
    eachField(proto, origin, [&](const ProtoField& field) {
        if (field.number == number && field.bytes) eachField(*field.bytes, origin, see);
    });
}

/// `pieces` may be in any order.
void requireFewPrefixes(std::vector<std::string_view> pieces, const std::string& origin) {
    std::ranges::sort(pieces);
    std::vector<std::string_view> within;  ///< each the start of the next
    for (const std::string_view piece : pieces) {
        while (!within.empty() && !piece.starts_with(within.back())) within.pop_back();
        within.push_back(piece);
        if (within.size() > kMaxUserDefinedOfAText)
            throw Failure(ErrorCode::InvalidData,
                          origin + ": " + showJson(nlohmann::json(piece)) + " begins with " +
                              std::to_string(within.size() - 1) + " other user-defined pieces, fewer than " +
                              std::to_string(kMaxUserDefinedOfAText) + " were needed");
    }
}

}  // namespace

SentencePieceParts partsOf(std::string_view proto, const std::string& origin) {
    SentencePieceParts parts;
    eachField(proto, origin, [&](const ProtoField& field) {
        // The library would run the model's own tests, which need its normalizer.
        if (field.number != kNormalizerField && field.number != kSelfTestField)
            parts.wordModel += field.whole;
    });
    eachFieldOf(kNormalizerField, proto, origin, [&](const ProtoField& of) {
        if (of.number == kCharsmapField && of.bytes) parts.charsmap = *of.bytes;
    });
    parts.wordModel += kNoNormalizer;
    return parts;
}

void requirePlainPieces(std::string_view proto, const std::string& origin) {
    std::size_t id = 0;
    std::vector<std::string_view> userDefined;
    eachField(proto, origin, [&](const ProtoField& field) {
        if (field.number != kPiecesField || !field.bytes) return;
        std::string_view text;
        std::optional<float> endless;
        bool isUserDefined = false;
        const auto invalid = [&](const std::string& what) {
            throw Failure(ErrorCode::InvalidData, origin + ": piece " + std::to_string(id) + what);
        };
        eachField(*field.bytes, origin, [&](const ProtoField& of) {
            if (of.number == kPieceScoreField && of.real && !std::isfinite(*of.real)) endless = of.real;
            // Protobuf takes the lower half of the number.
            if (of.number == kPieceTypeField && of.integer)
                isUserDefined |= static_cast<std::uint32_t>(*of.integer) == kUserDefinedType;
            if (of.number != kPieceTextField || !of.bytes) return;
            text = *of.bytes;
            if (text.find('\0') != std::string_view::npos)
                invalid(" has a character of code 0, text was needed");
            if (text.size() > kMaxPieceBytes)
                invalid(" has " + std::to_string(text.size()) + " bytes, at most " +
                        std::to_string(kMaxPieceBytes) + " were needed");
        });
        if (endless)
            invalid(", " + showJson(nlohmann::json(text)) + ", has the score " + std::to_string(*endless) +
                    ", a finite number was needed");
        if (isUserDefined) userDefined.push_back(text);
        ++id;
    });
    requireFewPrefixes(std::move(userDefined), origin);
}

void requireSoundCharsmaps(std::string_view proto, const std::string& origin) {
    for (const std::uint64_t number : {kNormalizerField, kDenormalizerField})
        eachFieldOf(number, proto, origin, [&](const ProtoField& of) {
            if (of.number == kCharsmapField && of.bytes && !of.bytes->empty())
                charsmapParts(*of.bytes,
                              number == kNormalizerField ? origin : origin + ": denormalizer_spec");
        });
}

void requireUnigram(std::string_view proto, const std::string& origin) {
    eachFieldOf(kTrainerField, proto, origin, [&](const ProtoField& of) {
        if (of.number != kModelTypeField || !of.integer || *of.integer == kUnigramType) return;
        constexpr std::array kNames{"", "", " (BPE)", " (WORD)", " (CHAR)"};
        throw Failure(ErrorCode::Unsupported,
                      origin + ": trainer_spec.model_type is " + std::to_string(*of.integer) +
                          (*of.integer < kNames.size() ? kNames.at(*of.integer) : "") +
                          ", this version needs 1 (UNIGRAM)");
    });
}

}  // namespace reelgrid::text
