#include "core/perception/vmaf.h"

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "core/base/json.h"
#include "core/jobs/program_run.h"
#include "core/media/packet_reader.h"

namespace reelgrid::perception {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kModel = "vmaf_v0.6.1";
constexpr std::size_t kMostListBytes = std::size_t{4} << 20, kMostLogBytes = std::size_t{256} << 20;
/// For what an FFmpeg says of itself.
constexpr std::chrono::seconds kPatience{60};

jobs::ProcessCommandLine commandOf(const fs::path& program, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"-hide_banner", "-nostdin"});
    return {program, std::move(arguments)};
}

/// "ffmpeg version 7.0.2-static https://…" → "7.0.2-static"
std::string versionIn(const std::string& text) {
    std::istringstream words(text);
    std::string program, word, version;
    words >> program >> word >> version;
    return word == "version" ? version : "of unknown version";
}

bool hasFilter(const std::string& list, const std::string& name) {
    std::istringstream lines(list);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string flags, filter;
        if (words >> flags >> filter && filter == name) return true;
    }
    return false;
}

/// What FFmpeg opens, whatever the name begins with.
std::string addressOf(const fs::path& file) {
    return "file:" + fs::absolute(file).string();
}

Result<VmafScore> scoreIn(const std::string& log, const VmafProgram& program, int frames) {
    const std::string what = program.program.string() + "'s libvmaf";
    // FFmpeg's own words may stand before and behind.
    const std::size_t begin = log.find('{'), end = log.rfind('}');
    if (begin == std::string::npos || end == std::string::npos || end < begin)
        return Error{ErrorCode::InvalidData, what + " wrote no log"};
    auto document = parseJson(log.substr(begin, end + 1 - begin), what, JsonDialect::Python);
    if (!document) return document.error();
    const auto list = document->find("frames");
    if (list == document->end() || !list->is_array() || list->size() != std::size_t(frames))
        return Error{ErrorCode::InvalidData,
                     what + " scored " +
                         std::to_string(list != document->end() && list->is_array() ? list->size() : 0) +
                         " frames, " + std::to_string(frames) + " were needed"};
    std::vector<double> scores;
    for (const json& frame : *list) {
        const json score = frame.is_object() && frame.contains("metrics") && frame["metrics"].is_object()
                               ? frame["metrics"].value("vmaf", json())
                               : json();
        if (!score.is_number())
            return Error{ErrorCode::InvalidData,
                         what + " gave frame " + std::to_string(scores.size()) + " no score"};
        scores.push_back(score.get<double>());
    }
    const json version = document->value("version", json());
    return VmafScore{metrics::seriesOf(std::move(scores)),
                     std::string(kModel) + ", libvmaf " +
                         (version.is_string() ? version.get<std::string>() : "of unknown version") +
                         ", FFmpeg " + program.version};
}

}  // namespace

Result<VmafProgram> VmafProgram::find() {
    const char* named = std::getenv("REELGRID_FFMPEG");
    const fs::path program = named != nullptr && *named != '\0' ? named : "ffmpeg";
    const std::string needed =
        "vmaf: an FFmpeg with the filter libvmaf was needed (REELGRID_FFMPEG names it)";
    const auto version = jobs::outputOf(commandOf(program, {"-version"}), kMostListBytes, {}, kPatience);
    if (!version) return Error{ErrorCode::NotFound, needed + "; " + version.error().message};
    VmafProgram found{program, versionIn(*version)};
    const auto filters = jobs::outputOf(commandOf(program, {"-filters"}), kMostListBytes, {}, kPatience);
    if (!filters) return Error{ErrorCode::NotFound, needed + "; " + filters.error().message};
    if (!hasFilter(*filters, "libvmaf"))
        return Error{ErrorCode::Unsupported,
                     needed + "; " + program.string() + " " + found.version + " has no libvmaf"};
    return found;
}

std::string framesByNumber(int frames) {
    return "trim=end_frame=" + std::to_string(frames) +
           ",settb=1/25,setpts=N,scale=flags=accurate_rnd+full_chroma_int:out_range=tv,format=yuv420p";
}

std::string videoOf(int input, const fs::path& file) {
    const auto reader = media::PacketReader::open(file);
    std::string pad = "[";
    pad += std::to_string(input) + ':';
    pad += reader ? std::to_string(reader->stream().index) : "v";
    return pad + ']';
}

Result<VmafScore> vmaf(const VmafProgram& program, const fs::path& clip, const fs::path& reference,
                       int frames, const std::stop_token& stop) {
    const std::string cut = framesByNumber(frames);
    const auto threads = std::max(1U, std::thread::hardware_concurrency());
    const std::string graph =
        videoOf(0, clip) + cut + "[a];" + videoOf(1, reference) + cut +
        "[b];[a][b]libvmaf=model=version=" + kModel +
        ":log_fmt=json:log_path=/dev/stdout:shortest=1:n_threads=" + std::to_string(threads);
    const auto log =
        jobs::outputOf(commandOf(program.program, {"-v", "error", "-i", addressOf(clip), "-i",
                                                   addressOf(reference), "-lavfi", graph, "-f", "null", "-"}),
                       kMostLogBytes, stop);
    if (!log) return log.error().in("vmaf");
    return scoreIn(*log, program, frames);
}

}  // namespace reelgrid::perception
