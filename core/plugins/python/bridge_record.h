#pragma once

#include <array>
#include <cstdint>

namespace reelgrid::plugins {

// What goes between this process and the one that runs a kernel in Python
// (resources/backends/python/reelgrid_bridge.py, which has the same layout): records of one size over a
// socket, a question and its answer in turn.

inline constexpr std::size_t kBridgeRecordBytes = 4096;
inline constexpr std::uint32_t kBridgeMagic = 0x31594752;  // "RGY1"
inline constexpr std::uint64_t kNowhere = ~std::uint64_t{0};

enum class BridgeQuestion : std::uint32_t { Supports = 1, Attend = 2, Ping = 3 };
enum class BridgeAnswer : std::int32_t { Done = 0, Refused = 1, Failed = 2 };

/// A handle of CUDA's IPC.
using IpcHandle = std::array<unsigned char, 64>;

struct BridgeCall {
    std::uint32_t magic = kBridgeMagic;
    BridgeQuestion question = BridgeQuestion::Ping;
    std::int32_t device = 0, dtype = 0, causal = 0, threads = 0;
    std::int64_t batch = 0, queryHeads = 0, keyHeads = 0, queries = 0, keys = 0, headDim = 0;
    /// Of q, k, v, out, key bias and log-sum-exp in the shared memory, in bytes.
    std::array<std::uint64_t, 6> offsets{kNowhere, kNowhere, kNowhere, kNowhere, kNowhere, kNowhere};
    std::array<std::array<std::int64_t, 3>, 4> strides{};  ///< of q, k, v, out: batch, head, token
    double scale = 1;
    std::array<std::int64_t, 5> grid{};  ///< frames, rows, columns, text before and behind
    std::int32_t layer = -1, step = -1, steps = 0, gpu = 0;
    std::array<char, 32> module{}, branch{}, family{};
    std::uint64_t poolBytes = 0;
    IpcHandle pool{}, event{};
    std::array<char, 3392> options{};  ///< lines key=value
    std::array<char, 192> rest{};
};
static_assert(sizeof(BridgeCall) == kBridgeRecordBytes);

struct BridgeReply {
    std::uint32_t magic = 0;
    BridgeAnswer answer = BridgeAnswer::Failed;
    std::uint32_t textBytes = 0, unused = 0;
    double seconds = 0;  ///< inside attend()
    IpcHandle event{};
    std::array<char, 4008> text{};
};
static_assert(sizeof(BridgeReply) == kBridgeRecordBytes);

}  // namespace reelgrid::plugins
