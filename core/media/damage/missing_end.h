#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace reelgrid::media {

/// What a file that was cut short lacks, in words, for containers whose demuxers take the end of the file for
/// the end of the clip, or go on behind what is no part of it (a hole). Nothing where the file is whole,
/// where it is damaged in another way, or where it can't be known (a live WebM that was cut between two
/// clusters).
/// A GIF's pictures must have as many pixels as they say, too.
std::optional<std::string> missingEndOfGif(const std::filesystem::path& path);
/// How many pictures it has: FFmpeg 6 takes those without control blocks between them for one.
std::int64_t picturesOfGif(const std::filesystem::path& path);
/// Its chunks must be where its index (idx1) lists them, too.
std::optional<std::string> missingEndOfAvi(const std::filesystem::path& path);
/// Its segment's parts may begin with a checksum; its blocks must end within their clusters and be of tracks
/// that it lists (RFC 9559).
std::optional<std::string> missingEndOfMatroska(const std::filesystem::path& path);
/// How many blocks with a frame the file has of a video track, 0 the first. Of one that can't be unpacked
/// FFmpeg's demuxer leaves out the rest of the cluster, too.
std::int64_t blocksOfMatroska(const std::filesystem::path& path, int video);
/// Of a fragmented one (MP4, QuickTime): its boxes have lengths before them, and an index at its front says
/// how long the fragments are (ISO/IEC 14496-12, 4.2 and 8.16.3). One without an index that was cut between
/// two fragments can't be told from a whole one. Those that aren't fragmented list their frames.
std::optional<std::string> missingEndOfMp4(const std::filesystem::path& path);
/// These and IVF's have lengths before their parts, one behind the other up to the end of the file; script
/// data at the begin of a Flash Video may say how long it is. Ogg's pages have numbers and checksums, the
/// last one of a stream is marked (RFC 3533, 6).
std::optional<std::string> missingEndOfFlv(const std::filesystem::path& path);
std::optional<std::string> missingEndOfOgg(const std::filesystem::path& path);
std::optional<std::string> missingEndOfIvf(const std::filesystem::path& path);
/// Its packets all have one size: 188 bytes, or 192 or 204 with what is added to them (ISO/IEC
/// 13818-1, 2.4.3). It may begin within a packet. One that was cut between two packets can't be told from a
/// whole one.
std::optional<std::string> missingEndOfTransportStream(const std::filesystem::path& path);
/// How many times the counter of the packets with that identifier (PID) isn't the next one (2.4.3.3), but
/// where the stream says that it isn't or another segment begins, and how many of its units don't begin as
/// such or have another length than they say.
int gapsOfTransportStream(const std::filesystem::path& path, int identifier);
/// Its objects have lengths before them (ASF, 2.1). Broadcasts, and what is written to a pipe, leave that of
/// the data open, which then are packets of one size. One that was cut between two of them can't be told from
/// a whole one. Otherwise each packet must go on where the one before ends.
std::optional<std::string> missingEndOfAsf(const std::filesystem::path& path);
/// Its header says how many frames it has.
std::optional<std::string> missingEndOfApng(const std::filesystem::path& path);
/// Its frames all have one size, which the first of them tells (IEC 61834-2).
std::optional<std::string> missingEndOfDv(const std::filesystem::path& path);
/// Its values have keys and lengths before them, and its first partition says where its last one, the footer,
/// begins (SMPTE ST 377-1, 6.3 and 7.1), unless nobody went back to say it.
std::optional<std::string> missingEndOfMxf(const std::filesystem::path& path);
struct PicturesOfMxf {
    std::int64_t frames = 0;  ///< values or packages with one, which may be several; 0: of several tracks
    int gaps = 0;             ///< places in which the content packages' counts aren't the next one
};
PicturesOfMxf picturesOfMxf(const std::filesystem::path& path);
/// Behind its headers a sync point must come, and one at each place that its index lists, if it has one.
/// Those have checksums.
std::optional<std::string> missingEndOfNut(const std::filesystem::path& path);
/// Streams without a container: FFmpeg takes a damaged file of another kind for them where its head is gone,
/// and goes on behind that. Those of MPEG have a start code at their begin.
std::optional<std::string> missingBeginOfAv1(const std::filesystem::path& path);
std::optional<std::string> missingPartsOfProgramStream(const std::filesystem::path& path);
std::optional<std::string> missingBeginOfStartCodes(const std::filesystem::path& path);
/// In how many places of a program stream something else than a part of it begins, or, where its video has
/// units without long runs of zeros (H.264, HEVC), such a run is.
int gapsOfProgramStream(const std::filesystem::path& path, bool hasNalUnits);
/// Of H.264 and HEVC, where no more zeros than before a start code may be anywhere.
std::optional<std::string> missingPartsOfNalUnits(const std::filesystem::path& path);
std::optional<std::string> missingPartsOfMotionJpeg(const std::filesystem::path& path);
/// Its frames all have one size: that of a picture as FFmpeg, which knows the header's tags, has it in
/// memory.
std::optional<std::string> missingEndOfY4m(const std::filesystem::path& path, std::int64_t pictureBytes);

}  // namespace reelgrid::media
