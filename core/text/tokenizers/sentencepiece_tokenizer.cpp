#include "core/text/tokenizers/sentencepiece_tokenizer.h"

#include <sentencepiece_processor.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/json.h"
#include "core/base/pending_file.h"
#include "core/base/result.h"
#include "core/text/cleaning/utf8.h"
#include "core/text/tokenizers/json_member.h"
#include "core/text/tokenizers/sentencepiece_proto.h"
#include "core/text/tokenizers/tokenizer_folder.h"
#include "core/text/tokenizers/unigram_proto.h"

namespace reelgrid::text {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::size_t kMaxModelBytes = std::size_t{64} << 20;
constexpr const char *kEnd = "</s>", *kPad = "<pad>";
constexpr char32_t kWordStart = U'\u2581';  // what pieces have for a space

/// Whether a text alone gets </s> behind it and nothing else.
bool endsTexts(const json& postProcessor) {
    const json& single = memberOf(postProcessor, "single");
    return single.is_array() && single.size() == 2 && single[0].contains("Sequence") &&
           memberOf(memberOf(single[1], "SpecialToken"), "id") == kEnd;
}

/// Whether characters that the vocabulary lacks become the pieces of their bytes.
bool spellsBytes(const json& model, const std::string& origin) {
    if (!model.is_object() || !model.contains("byte_fallback")) return false;
    const json& spells = model.at("byte_fallback");
    if (!spells.is_boolean())
        throw Failure(ErrorCode::InvalidData, origin + ": the model's byte_fallback is " + showJson(spells) +
                                                  ", true or false was needed");
    return spells.get<bool>();
}

void requireEncoded(bool encoded, std::string_view text) {
    if (!encoded)
        throw Failure(ErrorCode::Internal,
                      "SentencePiece failed on a text of " + std::to_string(text.size()) + " bytes");
}

/// "<0x41>"
std::string bytePiece(char byte) {
    std::array<char, 8> text{};
    std::snprintf(text.data(), text.size(), "<0x%02X>",
                  static_cast<unsigned>(static_cast<unsigned char>(byte)));
    return text.data();
}

/// The byte that such a piece stands for.
std::optional<char> byteOf(const std::string& piece) {
    if (piece.size() != 6 || !piece.starts_with("<0x") || piece.back() != '>') return std::nullopt;
    unsigned value = 0;
    const char* const digits = piece.data() + 3;
    if (std::from_chars(digits, digits + 2, value, 16).ptr != digits + 2) return std::nullopt;
    return static_cast<char>(value);
}

}  // namespace

std::vector<std::int64_t> TokenIds::attentionMask() const {
    std::vector<std::int64_t> mask(ids.size(), 0);
    std::fill_n(mask.begin(), count, 1);
    return mask;
}

SentencePieceTokenizer::SentencePieceTokenizer(const fs::path& folder)
    : m_model(std::make_unique<sentencepiece::SentencePieceProcessor>()) {
    const TokenizerFolder files(folder);
    m_added = files.addedTokens();
    m_added.each([this](const AddedToken& token) {
        if (token.isNormalized) m_normalized.add(token);
    });
    const fs::path model = folder / "spiece.model";
    std::error_code failed;
    // Of two vocabularies the reference reads tokenizer.json's.
    const bool isFileTaken = files.isOfTokenizers() || (files.isT5() && files.hasVocabulary()) ||
                             (files.tokenizer && !fs::exists(model, failed));
    if (isFileTaken) {
        readTokenizerJson(files);
    } else {
        m_origin = model.string();
        std::string bytes = readFile(model, kMaxModelBytes).value();
        if (files.isT5()) {
            // Whatever normalizer the library has: transformers 5 takes the model's characters and pieces
            // alone.
            SentencePieceParts parts = partsOf(bytes, m_origin);
            m_pipeline = WordPipeline::ofT5(parts.charsmap, m_origin);
            bytes = std::move(parts.wordModel);
        }
        loadModel(bytes);
    }
    m_otherPlaces = otherPlacesOf(m_added, m_model->GetPieceSize(),
                                  [this](const std::string& content) { return placeOf(content); });
    if (m_added.empty()) addT5Tokens(files.extraIds());
    // T5's tokenizer ends prompts by the token that the folder names, others as tokenizer.json says.
    const bool endsItself = isFileTaken && !files.isT5();
    findEnds(endsItself ? kEnd : files.specialText("eos_token", kEnd), files.specialText("pad_token", kPad));
    if (endsItself) requireEndOf(files.tokenizer->at("post_processor"));
    files.requireKnown([this](const std::string& content) -> std::optional<std::int64_t> {
        const AddedToken* token = m_added.find(content);
        return token == nullptr ? std::nullopt : std::optional(token->id);
    });
}

SentencePieceTokenizer::SentencePieceTokenizer()
    : m_model(std::make_unique<sentencepiece::SentencePieceProcessor>()) {}

SentencePieceTokenizer SentencePieceTokenizer::ofModel(const std::string& bytes, const std::string& origin) {
    SentencePieceTokenizer tokenizer;
    tokenizer.m_origin = origin;
    tokenizer.loadModel(bytes);
    tokenizer.addT5Tokens(0);
    tokenizer.findEnds(kEnd, kPad);
    return tokenizer;
}

void SentencePieceTokenizer::findEnds(const std::string& end, const std::string& pad) {
    m_end = idOf(end);
    m_pad = idOf(pad);
    m_idBound = std::max<std::int64_t>(m_model->GetPieceSize(), m_added.idBound());
}

/// The post-processor has an id of its own for </s>, which may be another than the vocabulary's.
void SentencePieceTokenizer::requireEndOf(const json& postProcessor) const {
    const json& ids = memberOf(memberOf(memberOf(postProcessor, "special_tokens"), kEnd), "ids");
    if (!ids.is_null() && ids != json::array({m_end}))
        throw Failure(ErrorCode::Unsupported, m_origin + ": post_processor's ids of </s> are " +
                                                  showJson(ids) + ", this version needs [" +
                                                  std::to_string(m_end) + "], its id in the vocabulary");
}

SentencePieceTokenizer::SentencePieceTokenizer(SentencePieceTokenizer&&) noexcept = default;
SentencePieceTokenizer& SentencePieceTokenizer::operator=(SentencePieceTokenizer&&) noexcept = default;
SentencePieceTokenizer::~SentencePieceTokenizer() = default;

void SentencePieceTokenizer::loadModel(const std::string& bytes) {
    requireUnigram(bytes, m_origin);
    requirePlainPieces(bytes, m_origin);
    requireSoundCharsmaps(bytes, m_origin);
    if (!m_model->LoadFromSerializedProto(bytes).ok())
        throw Failure(ErrorCode::InvalidData, m_origin + ": not a SentencePiece model");
    // The library finds it by its name in the trainer's settings, and has −1 where that is another piece's.
    if (m_model->unk_id() < 0)
        throw Failure(ErrorCode::InvalidData,
                      m_origin + ": its unknown piece has another name than trainer_spec.unk_piece says");
}

void SentencePieceTokenizer::readTokenizerJson(const TokenizerFolder& folder) {
    m_origin = folder.tokenizerPath.string();
    const json& tokenizer = *folder.tokenizer;
    const json model = tokenizer.value("model", json());
    if (folder.isT5()) {
        m_pipeline = WordPipeline::ofT5(tokenizer, m_origin);
    } else {
        const json after = tokenizer.value("post_processor", json());
        if (!endsTexts(after))
            throw Failure(ErrorCode::Unsupported,
                          m_origin + ": post_processor is " + showJson(after) +
                              ", this version needs a TemplateProcessing that puts </s> behind the text");
        m_pipeline = WordPipeline::from(tokenizer, m_origin);
        if (spellsBytes(model, m_origin)) m_unknown = UnknownSpelling::Bytes;
    }
    const std::string proto = unigramProto(model, m_origin);
    requirePlainPieces(proto, m_origin);
    if (!m_model->LoadFromSerializedProto(proto).ok())
        throw Failure(ErrorCode::InvalidData, m_origin + ": its vocabulary has a piece twice");
    const AddedTokens listed = addedTokensOfTokenizer(tokenizer, m_origin);
    listed.each([this](const AddedToken& token) { requireListed(token); });
}

/// tokenizers gives a token that the vocabulary has its place there, and others the ids behind it, whatever
/// the file's list says.
void SentencePieceTokenizer::requireListed(const AddedToken& token) const {
    const int pieces = m_model->GetPieceSize();
    const std::optional<std::int64_t> place = placeOf(token.content);
    if (place ? token.id == *place : token.id >= pieces) return;
    const std::string listed = m_origin + ": added_tokens gives " + showJson(json(token.content)) +
                               " the id " + std::to_string(token.id) + ", ";
    throw Failure(ErrorCode::InvalidData,
                  place ? listed + std::to_string(*place) + ", its place in the vocabulary, was needed"
                        : listed + "which is " +
                              showJson(json(m_model->IdToPiece(static_cast<int>(token.id)))) +
                              "'s in the vocabulary, one from " + std::to_string(pieces) + " was needed");
}

/// Where the vocabulary has it.
std::optional<std::int64_t> SentencePieceTokenizer::placeOf(const std::string& content) const {
    const int place = m_model->PieceToId(content);
    return m_model->IdToPiece(place) == content ? std::optional<std::int64_t>(place) : std::nullopt;
}

/// What T5's tokenizer adds by itself: its special pieces, and sentinels behind the vocabulary, last one
/// first.
void SentencePieceTokenizer::addT5Tokens(std::int64_t extraIds) {
    for (const char* piece : {"<pad>", kEnd, "<unk>"}) {
        const int id = m_model->PieceToId(piece);
        if (m_model->IdToPiece(id) == piece) m_added.add({piece, id});
    }
    const std::int64_t pieces = m_model->GetPieceSize();
    for (std::int64_t i = 0; i < extraIds; ++i)
        m_added.add({"<extra_id_" + std::to_string(i) + ">", pieces + extraIds - 1 - i});
}

std::int64_t SentencePieceTokenizer::idOf(const std::string& token) const {
    if (const AddedToken* added = m_added.find(token)) {
        requirePlace(*added, m_otherPlaces, m_origin);
        return added->id;
    }
    const int id = m_model->PieceToId(token);
    if (m_model->IdToPiece(id) != token)
        throw Failure(ErrorCode::InvalidData, m_origin + ": it has no token " + token);
    return id;
}

/// The SentencePiece model's own ids; a run of bytes that spells unknown characters is one <unk>, as in
/// transformers.
void SentencePieceTokenizer::appendPieces(std::string_view text, std::vector<std::int64_t>& ids) const {
    std::vector<int> pieces;
    requireEncoded(m_model->Encode(text, &pieces).ok(), text);
    bool inBytes = false;
    for (const int piece : pieces) {
        const bool isByte = m_model->IsByte(piece);
        if (!isByte)
            ids.push_back(piece);
        else if (!inBytes)
            ids.push_back(m_model->unk_id());
        inBytes = isByte;
    }
}

/// Unknown characters as their bytes, <unk> where the vocabulary lacks one of those.
void SentencePieceTokenizer::appendPiecesAndBytes(std::string_view text,
                                                  std::vector<std::int64_t>& ids) const {
    std::vector<std::string> pieces;
    requireEncoded(m_model->Encode(text, &pieces).ok(), text);
    for (const std::string& piece : pieces) {
        const int id = m_model->PieceToId(piece);
        if (id != m_model->unk_id() || piece == m_model->IdToPiece(id)) {
            ids.push_back(id);
            continue;
        }
        std::vector<std::int64_t> bytes;
        for (const char byte : piece) bytes.push_back(m_model->PieceToId(bytePiece(byte)));
        if (std::count(bytes.begin(), bytes.end(), m_model->unk_id()) > 0) bytes = {m_model->unk_id()};
        ids.insert(ids.end(), bytes.begin(), bytes.end());
    }
}

/// tokenizers looks for it behind steps that turn blanks into "▁", and the pieces around it come out
/// otherwise than here.
void SentencePieceTokenizer::refuseNormalized(const AddedToken& token) const {
    throw Failure(ErrorCode::Unsupported, m_origin + ": the prompt has the added token " +
                                              showJson(json(token.content)) +
                                              ", whose normalized is true, this version needs false");
}

void SentencePieceTokenizer::requireNoneNormalized(std::string_view word) const {
    if (m_normalized.empty()) return;
    for (; !word.empty(); word.remove_prefix(1))
        if (const AddedToken* token = m_normalized.longestAtStartOf(word)) refuseNormalized(*token);
}

std::vector<std::int64_t> SentencePieceTokenizer::tokenize(const std::string& text) const {
    std::vector<std::int64_t> ids;
    for (const TextPiece& piece : splitAtTokens(text, m_added)) {
        if (piece.token != nullptr) {
            if (piece.token->isNormalized) refuseNormalized(*piece.token);
            requirePlace(*piece.token, m_otherPlaces, m_origin);
            ids.push_back(piece.token->id);
        } else if (m_pipeline) {
            for (const std::string& word : m_pipeline->words(piece.text)) {
                requireNoneNormalized(word);
                m_unknown == UnknownSpelling::Bytes ? appendPiecesAndBytes(word, ids)
                                                    : appendPieces(word, ids);
            }
        } else {
            appendPieces(piece.text, ids);
        }
    }
    return ids;
}

TokenIds SentencePieceTokenizer::encode(const std::string& text, std::size_t length) const {
    if (length == 0) throw Failure(ErrorCode::Internal, "a prompt of 0 tokens has no room for its end");
    TokenIds result;
    result.ids = tokenize(text);
    const std::size_t kept = std::min(result.ids.size(), length - 1);
    result.cut = textOf(result.ids, kept);
    result.ids.resize(kept);
    result.ids.push_back(m_end);
    result.count = result.ids.size();
    result.ids.resize(length, m_pad);
    return result;
}

std::string SentencePieceTokenizer::textOf(const std::vector<std::int64_t>& ids, std::size_t first) const {
    if (first == ids.size()) return {};
    std::map<std::int64_t, std::string> added;
    m_added.each([&](const AddedToken& token) { added[token.id] = token.content; });
    std::string pieces;
    for (std::size_t i = first; i < ids.size(); ++i) {
        if (const auto token = added.find(ids[i]); token != added.end()) {
            pieces += token->second;
            continue;
        }
        const std::string& piece = m_model->IdToPiece(static_cast<int>(ids[i]));
        const auto byte = m_unknown == UnknownSpelling::Bytes ? byteOf(piece) : std::nullopt;
        pieces += byte ? std::string(1, *byte) : piece;
    }
    // Where the cut goes through a character its bytes are no text by themselves.
    std::u32string points = decodeUtf8(pieces);
    std::ranges::replace(points, kWordStart, U' ');
    std::string text = encodeUtf8(points);
    text.erase(0, std::min(text.find_first_not_of(' '), text.size()));
    while (text.ends_with(' ')) text.pop_back();
    return text;
}

}  // namespace reelgrid::text
