#pragma once

// The worker speaks JSON lines: one object a line, every one with "v": kProtocolVersion and "type".
//
//   to the worker    {"v":1,"type":"render","id":"j1","request":{…}}
//                    {"v":1,"type":"forecast","id":"f1","request":{…}}    answered beside a render
//                    {"v":1,"type":"cancel","id":"j1"}
//                    {"v":1,"type":"quit"}
//   from the worker  ready, started, progress, preview, done, failed, cancelled, forecast (the structs below)

#include <cstddef>
#include <string>
#include <variant>

#include "core/base/result.h"
#include "core/protocol/render_forecast.h"
#include "core/protocol/render_preview.h"
#include "core/protocol/render_progress.h"
#include "core/protocol/render_request.h"

namespace reelgrid::protocol {

inline constexpr int kProtocolVersion = 1;

/// The longest line either side takes: two prompts of 64 KiB, each byte escaped to six, and room to spare.
inline constexpr std::size_t kMaxLineBytes = std::size_t{1} << 20;

// To the worker.
struct RenderCommand {
    std::string id;
    RenderRequest request;
};
/// What the request would take; answered with Forecast, or JobFailed of that id.
struct ForecastCommand {
    std::string id;
    RenderRequest request;
};
struct CancelCommand {
    std::string id;
};
struct QuitCommand {};
using WorkerCommand = std::variant<RenderCommand, ForecastCommand, CancelCommand, QuitCommand>;

// From the worker.
struct WorkerReady {
    std::string version;
};
struct JobStarted {
    std::string id;
};
struct JobProgress {
    std::string id;
    RenderProgress now;
};
struct JobPreview {
    std::string id;
    RenderPreview now;
};
struct JobDone {
    std::string id;
    std::string clip;  ///< absolute path; companions in resultFolderOf(clip)
};
struct JobFailed {
    std::string id;
    Error error;
};
struct JobCancelled {
    std::string id;
};
struct Forecast {
    std::string id;
    RenderForecast forecast;
};
using WorkerEvent = std::variant<WorkerReady, JobStarted, JobProgress, JobPreview, JobDone, JobFailed,
                                 JobCancelled, Forecast>;

/// One line, without the line feed.
std::string toLine(const WorkerCommand& command);
std::string toLine(const WorkerEvent& event);

/// InvalidData naming what is wrong: not JSON, another version, an unknown type, a missing field. A render
/// command whose request has an impossible value is BadUsage.
Result<WorkerCommand> commandFromLine(const std::string& line);
Result<WorkerEvent> eventFromLine(const std::string& line);

}  // namespace reelgrid::protocol
