#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace reelgrid::cli {

/// What a file of `bench attention` holds, by its ending.
enum class AttentionFileKind { Json, Csv, Svg, Png };

struct AttentionFile {
    std::filesystem::path path;
    AttentionFileKind kind = AttentionFileKind::Json;
};

/// What -o names, each of which can be written: found out before measuring, so that a wrong path doesn't cost
/// minutes. BadUsage for other endings, Io.
Result<std::vector<AttentionFile>> attentionFiles(const std::vector<std::string>& paths);

/// How the contents are made, where a file of the kind is asked for.
struct AttentionContents {
    std::function<std::string()> json, csv, svg;
};

Result<void> writeAttentionFiles(const std::vector<AttentionFile>& files, const AttentionContents& contents);

}  // namespace reelgrid::cli
