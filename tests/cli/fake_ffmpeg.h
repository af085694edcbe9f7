#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace reelgrid::cli {

/// A program in FFmpeg's place that has libvmaf and scores 90, five frames, and notes each time that it does.
inline std::string writeFakeFfmpeg(const std::filesystem::path& folder) {
    const std::filesystem::path program = folder / "an ffmpeg";
    std::string frames;
    for (int i = 0; i < 5; ++i) frames += (i > 0 ? "," : "") + std::string(R"({"metrics": {"vmaf": 90.0}})");
    std::ofstream(program) << "#!/bin/sh\ncase \"$*\" in\n"
                              "*-version*) echo 'ffmpeg version 7.0.2-static https://example.org/';;\n"
                              "*-filters*) echo ' ... libvmaf VV->V VMAF';;\n"
                              "*) echo scored >>\"$0.scored\"; echo '{\"version\": \"3.0.0\", \"frames\": [" +
                                  frames + "]}';;\nesac\n";
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    return program.string();
}

/// How often it scored.
inline std::ptrdiff_t timesScored(const std::string& program) {
    std::ifstream notes(program + ".scored");
    return std::count(std::istreambuf_iterator<char>(notes), {}, '\n');
}

}  // namespace reelgrid::cli
