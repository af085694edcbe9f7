#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace reelgrid::media {

/// Follows the pieces of frames and sounds through the data packets of a Windows Media file (ASF, 5.2).
/// Demuxers leave out those that aren't complete, and say nothing.
class AsfPayloads {
  public:
    /// `streams`: the numbers of those that the file has; none: nobody knows them.
    explicit AsfPayloads(std::set<int> streams) : m_streams(std::move(streams)) {}

    /// Whether the next packet, without those around it, goes on where the one before ended.
    bool follows(std::string_view packet);
    /// Whether all the pieces of what has begun have come.
    [[nodiscard]] bool isComplete() const;

  private:
    /// Of a stream, the frame or sound that came last.
    struct Object {
        std::uint64_t number = 0, size = 0, bytes = 0;
    };
    struct Fields;
    bool takePayload(Fields& packet, int properties, int lengthBytes, std::size_t end);

    std::set<int> m_streams;
    std::map<int, Object> m_last;  ///< by the stream's number, 1 to 127
};

}  // namespace reelgrid::media
