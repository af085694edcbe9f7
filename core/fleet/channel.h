#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/result.h"

// What travels between machines on the worker's two streams, as lines among those of the worker protocol
// (core/protocol/worker_message.h). To the host: files, then "begin", then files and models before each
// command whose request names them ("@sent/<folder>/<name>", "@sent/<model>"). From the host: files before
// each "done".

namespace reelgrid::fleet {

/// How the fields of a request name what was sent.
inline constexpr const char* kSentMark = "@sent/";
/// The names of a result's files: "clip", or "files/" and a path in the result's folder.
inline constexpr const char* kClipName = "clip";
inline constexpr const char* kCompanionStart = "files/";

/// A file follows in pieces, until it has all its bytes.
struct FileBegins {
    std::string name;  ///< relative, without "..": where it goes
    std::uint64_t bytes = 0;
    std::string sha256;
};
struct FilePiece {
    std::vector<std::uint8_t> bytes;
};
/// Starts the worker, whose arguments may name files that were sent.
struct WorkerBegins {
    std::vector<std::string> arguments;
};
/// A model that the next requests name by `name`: what it is.
struct ModelDescribed {
    std::string name;    ///< after the mark
    std::string folder;  ///< where it lies on the machine that asks, for messages
    std::string family;
    std::uint64_t bytes = 0;
    std::map<std::string, std::string> hashes;  ///< SHA-256 of each component
};
/// A job took too long.
struct TimeIsUp {};

using ChannelMessage = std::variant<FileBegins, FilePiece, WorkerBegins, ModelDescribed, TimeIsUp>;

/// One line, without the line feed.
std::string toLine(const ChannelMessage& message);

/// Nothing for a line of the worker protocol; InvalidData for one that is neither.
Result<std::optional<ChannelMessage>> channelMessageFrom(const std::string& line);

/// Whether a file may be put at this place below a folder: relative, no "..", no hidden part, short.
bool isSafeName(const std::string& name);

}  // namespace reelgrid::fleet
