#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/media/damage/byte_walk.h"
#include "core/media/damage/missing_end.h"

namespace reelgrid::media {
namespace {

struct Chunk {
    std::int64_t place = 0;
    std::string type;
};

/// Of larger lists the index isn't compared.
constexpr std::size_t kMostChunks = std::size_t{1} << 22;

/// What is damaged in an index (idx1) of so many bytes: an entry that is none, or the first chunk of frames
/// that it lists and that isn't there. Its places count from the beginning of the list of frames, or from
/// that of the file.
std::optional<std::string> damageOfIndex(ByteWalk& index, std::int64_t bytes,
                                         const std::vector<Chunk>& chunks, std::int64_t listBegin) {
    constexpr std::int64_t kEntry = 16;
    struct Reading {
        std::int64_t begin;
        std::int64_t found = 0;
        std::optional<std::int64_t> missing{};
    };
    std::array<Reading, 2> readings{{{listBegin}, {0}}};
    for (; bytes >= kEntry && !index.isPastEnd(); bytes -= kEntry) {
        const std::int64_t entry = index.at();
        const std::string type = index.text(4);
        if (!isPrintable(type)) return noPart(entry, "entry of an AVI's index");
        index.skip(4);  // flags
        const std::int64_t offset = index.number(4, std::endian::little);
        const bool isEmpty = index.number(4, std::endian::little) == 0;
        if (type == "rec " || isEmpty) continue;
        for (Reading& reading : readings) {
            const std::int64_t place = reading.begin + offset;
            const auto chunk = std::ranges::lower_bound(chunks, place, {}, &Chunk::place);
            // Behind the stream's number they may differ ("00db", "00dc").
            if (chunk != chunks.end() && chunk->place == place &&
                std::equal(type.begin(), type.begin() + 2, chunk->type.begin()))
                ++reading.found;
            else if (!reading.missing)
                reading.missing = place;
        }
    }
    const Reading& best = *std::ranges::max_element(readings, {}, &Reading::found);
    if (best.found == 0 || !best.missing) return std::nullopt;
    return "its index lists a chunk at byte " + std::to_string(*best.missing) + ", which isn't there";
}

/// Of a list that was written to a pipe, or whose writer was stopped: it goes on to the file's end.
bool isOpen(std::int64_t bytes) {
    constexpr std::int64_t kUnknown = 0xFFFFFFFF;
    return bytes == 0 || bytes == kUnknown;
}

/// Some that write it leave out the byte behind an odd chunk, which is zero.
bool isAtChunk(ByteWalk& file) {
    const auto isLetter = [](char letter) {
        return (letter >= '0' && letter <= '9') || (letter >= 'A' && letter <= 'Z') ||
               (letter >= 'a' && letter <= 'z');
    };
    return std::ranges::all_of(file.peek(4), isLetter);
}

/// Whether chunks among the frames have such a type: the number of one of so many streams and what it is of
/// (AVI RIFF File Reference, "Stream Data"), an index or filling.
bool isUsual(std::string_view type, int streams) {
    constexpr std::array<std::string_view, 8> kOfStream{"dc", "db", "wb", "pc", "tx", "sb", "iv", "dd"};
    constexpr std::array<std::string_view, 4> kOthers{"JUNK", "idx1", "LIST", "RIFF"};
    const auto isDigit = [](char letter) { return letter >= '0' && letter <= '9'; };
    const bool isOfStream = isDigit(type[0]) && isDigit(type[1]) &&
                            (type[0] - '0') * 10 + (type[1] - '0') < streams &&
                            std::ranges::find(kOfStream, type.substr(2)) != kOfStream.end();
    return isOfStream || type.starts_with("ix") || std::ranges::find(kOthers, type) != kOthers.end();
}

/// The first chunk of a type that no other has, and that isn't usual: damage, which demuxers pass over.
std::optional<std::int64_t> oddChunk(const std::vector<Chunk>& chunks, int streams) {
    std::map<std::string, std::vector<std::int64_t>> odd;
    for (const Chunk& chunk : chunks)
        if (!isUsual(chunk.type, streams)) odd[chunk.type].push_back(chunk.place);
    const auto once =
        std::ranges::find(odd, std::size_t{1}, [](const auto& type) { return type.second.size(); });
    return once == odd.end() ? std::nullopt : std::optional(once->second.front());
}

/// What is damaged in an AVI's RIFF list, up to its end: from the frames ("movi") on a chunk whose type is
/// none or which goes beyond what is around it, the frames' own head, or their index. `streams`: how many the
/// lists up to here have the heads of; those of this one are added.
std::optional<std::string> damageOfAvi(ByteWalk& file, std::int64_t end, int& streams) {
    std::int64_t headEnd = 0, framesBegin = 0, framesEnd = 0;
    std::vector<Chunk> chunks;
    while (file.at() + 8 <= end) {
        const std::int64_t place = file.at();
        const std::string type = file.text(4);
        const std::int64_t bytes = file.number(4, std::endian::little);
        // What is around may end before an odd chunk's padding.
        const std::int64_t within = place < framesEnd ? framesEnd : end;
        const bool isWhole = isPrintable(type) && place + 8 + bytes <= within + 1;
        const bool isList = type == "LIST" || type == "RIFF";
        // FFmpeg goes from chunk to chunk, whatever ends around them.
        if (place < headEnd && place + 8 + bytes > headEnd + 1) return noPart(place, "chunk of AVI");
        if (framesEnd > 0 && !isWhole && !(isList && isOpen(bytes))) return noPart(place, "chunk of AVI");
        const std::string kind = isList ? file.text(4) : "";
        if (kind == "movi") {
            framesBegin = place + 8;
            framesEnd = isOpen(bytes) ? end : std::min(end, framesBegin + bytes);
        }
        if (kind == "hdrl") headEnd = place + 8 + bytes;
        if (kind == "strl") ++streams;
        // Frames may be grouped, and lists follow that nobody knew the end of.
        if (kind == "hdrl" || kind == "strl" || kind == "movi" || kind == "rec " || type == "RIFF") continue;
        const std::int64_t next = place + 8 + bytes;
        if (place < framesEnd && chunks.size() < kMostChunks) chunks.push_back({place, type});
        if (type == "idx1" && chunks.size() < kMostChunks) {
            if (auto damage = damageOfIndex(file, bytes, chunks, framesBegin)) return damage;
        }
        file.skip(next - file.at());
        if (bytes % 2 == 1 && !isAtChunk(file)) file.skip(1);
    }
    if (const auto odd = oddChunk(chunks, streams)) return noPart(*odd, "chunk of AVI");
    // Less than a chunk's head: filling, or what is left of one.
    const std::int64_t place = file.at();
    if (place < end && std::ranges::any_of(file.peek(int(end - place)), [](char byte) { return byte != 0; }))
        return noPart(place, "chunk of AVI");
    if (framesEnd > 0) return std::nullopt;
    return "the head of its list of frames (movi) is missing";
}

}  // namespace

std::optional<std::string> missingEndOfAvi(const std::filesystem::path& path) {
    ByteWalk file(path);
    int streams = 0;
    // Larger ones are several lists of the kind, one behind the other.
    while (file.at() < file.size()) {
        const std::string type = file.text(4);
        const std::int64_t bytes = file.number(4, std::endian::little);
        if (type != "RIFF" || file.isPastEnd()) return std::nullopt;
        const std::int64_t end = isOpen(bytes) ? file.size() : file.at() + bytes;
        if (end > file.size()) return bytesMissing(file.size(), end);
        file.skip(4);
        if (auto damage = damageOfAvi(file, end, streams)) return damage;
        file.skip(end + bytes % 2 - file.at());
    }
    return std::nullopt;
}

}  // namespace reelgrid::media
