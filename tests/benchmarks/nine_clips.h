#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace reelgrid::benchmarks {

inline constexpr int kClips = 9;
inline constexpr int kFrames = 121;

inline std::filesystem::path clipAt(const std::filesystem::path& folder, int index) {
    return folder / ("clip_" + std::to_string(index) + ".mp4");
}

/// Nine clips of 832×480, 24 fps and 121 frames, one group of pictures each, by the ffmpeg program; those
/// that are there already stay.
inline bool makeClips(const std::filesystem::path& folder) {
    std::filesystem::create_directories(folder);
    for (int i = 0; i < kClips; ++i) {
        if (std::filesystem::exists(clipAt(folder, i))) continue;
        const std::string command =
            "ffmpeg -v error -f lavfi -i testsrc2=s=832x480:r=24:d=6,hue=h=" + std::to_string(40 * i) +
            " -frames:v " + std::to_string(kFrames) +
            " -c:v libx264 -preset medium -b:v 2M -g 250 -pix_fmt yuv420p '" + clipAt(folder, i).string() +
            "'";
        if (std::system(command.c_str()) != 0) return false;
    }
    return true;
}

inline double percentile(std::vector<double> values, double share) {
    std::ranges::sort(values);
    return values[std::min(values.size() - 1, std::size_t(share * double(values.size())))];
}

/// The number of a field of /proc's status of a process ("Threads:"); 0 where it is gone.
inline double statusOf(const std::string& process, const std::string& field) {
    std::ifstream status("/proc/" + process + "/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with(field)) return std::atof(line.c_str() + field.size());
    return 0;
}

/// "VmRSS:", "VmHWM:", … of a process, in megabytes; 0 where it is gone.
inline double memoryOf(const std::string& process, const std::string& field) {
    return statusOf(process, field) / 1024;
}

}  // namespace reelgrid::benchmarks
