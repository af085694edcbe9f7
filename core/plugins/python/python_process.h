#pragma once

#include <sys/types.h>

#include <deque>
#include <filesystem>
#include <memory>
#include <string>

#include "core/base/result.h"
#include "core/plugins/plugin_processes.h"
#include "core/plugins/python/bridge_record.h"

namespace reelgrid::plugins {

class SharedMemory;

/// A process of Python that serves one kernel. It ends with this object, and with this process however that
/// ends. Called by one thread at a time.
class PythonProcess {
  public:
    struct Order {
        std::filesystem::path interpreter, bridge, kernel;
        std::string plugin;  ///< as PluginProcessScope has it
    };
    /// Started and its kernel imported. An error with Python's last lines where that fails.
    static Result<std::unique_ptr<PythonProcess>> start(const Order& order, const SharedMemory& memory);
    PythonProcess(const PythonProcess&) = delete;
    PythonProcess& operator=(const PythonProcess&) = delete;
    ~PythonProcess();

    /// Whether the answer is looked for without a pause, for a moment, or slept for at once: a GPU's calls
    /// come one upon another.
    enum class Waiting { Asleep, Awake };
    /// Waits as long as it takes. An error says how the process ended: then it serves no more.
    Result<BridgeReply> ask(const BridgeCall& call, Waiting waiting);

    /// Words of the first record: which functions it has and takes ("supports", "out").
    [[nodiscard]] bool has(const std::string& word) const;
    /// Its versions, as a description's `runtime`.
    [[nodiscard]] std::string runtime() const;

  private:
    struct End;
    PythonProcess(int socket, int output, pid_t id, std::string plugin, std::shared_ptr<End> end);
    Result<BridgeReply> answer(Waiting waiting);
    [[nodiscard]] bool isOver();
    void takeOutput();
    void keepLines(std::string text);
    [[nodiscard]] Error ended();

    int m_socket, m_output;
    pid_t m_id;
    PluginProcessScope m_itsPlugin;
    std::shared_ptr<End> m_end;
    std::deque<std::string> m_lines;  ///< the last ones that it printed
    std::string m_line;               ///< and the beginning of the next
    std::string m_words;
};

/// A reply's text.
std::string textOf(const BridgeReply& reply);

}  // namespace reelgrid::plugins
