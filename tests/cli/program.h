#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace reelgrid::cli {

/// How a run of reelgrid-cli ended and what it wrote.
struct ProgramRun {
    int exitCode = -1;  ///< 128 + signal when it was killed
    std::string output;
    std::string errors;
};

/// Runs reelgrid-cli and waits for it. `input` is its stdin; the environment is this one's plus
/// `environment`.
ProgramRun runProgram(const std::vector<std::string>& arguments, const std::string& input = "",
                      const std::map<std::string, std::string>& environment = {});

/// reelgrid-cli while it runs, with pipes that the test holds: nothing reads its stdout until finish().
class RunningProgram {
  public:
    /// `pending`: a signal that has come before its first instruction; `ignored`: one that its starter has it
    /// ignore, as nohup does.
    explicit RunningProgram(const std::vector<std::string>& arguments, int pending = 0, int ignored = 0);
    RunningProgram(const RunningProgram&) = delete;
    RunningProgram& operator=(const RunningProgram&) = delete;
    ~RunningProgram();

    void write(const std::string& text) const;
    void closeInput();
    void signal(int number) const;
    [[nodiscard]] int process() const { return m_child; }
    /// Waits for one line of its output.
    std::string readLine();
    /// Waits for its end, at most so many seconds (then it is killed: exit code 137). With OutputIs::Unread
    /// its stdout stays as full as it is until then.
    enum class OutputIs { Read, Unread };
    ProgramRun finish(int seconds, OutputIs output = OutputIs::Read);

  private:
    int m_child = -1;
    int m_input = -1;
    int m_output = -1;
    std::string m_errorFile;
};

/// A file's bytes; empty where it can't be read.
std::string textOf(const std::filesystem::path& file);

/// The one JSON document that `text` is; a discarded value when it is anything else.
nlohmann::json onlyDocument(const std::string& text);

/// The "results" of a comparison that `text` describes (--json). Throws nlohmann::json::exception where it
/// has none.
std::vector<nlohmann::json> resultsIn(const std::string& text);

/// A new folder that is removed with everything in it.
class TestFolder {
  public:
    TestFolder();
    TestFolder(const TestFolder&) = delete;
    TestFolder& operator=(const TestFolder&) = delete;
    ~TestFolder();
    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }
    [[nodiscard]] std::string file(const std::string& name) const { return (m_path / name).string(); }

  private:
    std::filesystem::path m_path;
};

}  // namespace reelgrid::cli
