#include "app/cli/attention_files.h"

#include <array>
#include <utility>

#include "core/base/pending_file.h"
#include "core/media/svg_picture.h"

namespace reelgrid::cli {
namespace {

constexpr std::array kEndings{
    std::pair{".json", AttentionFileKind::Json},
    std::pair{".csv", AttentionFileKind::Csv},
    std::pair{".svg", AttentionFileKind::Svg},
    std::pair{".png", AttentionFileKind::Png},
};

Result<AttentionFileKind> kindOf(const std::filesystem::path& path) {
    for (const auto& [ending, kind] : kEndings)
        if (path.extension() == ending) return kind;
    return Error{ErrorCode::BadUsage,
                 "-o " + path.string() + ": an ending of .json, .csv, .svg or .png was needed"};
}

Result<void> write(const AttentionFile& file, const AttentionContents& contents) {
    switch (file.kind) {
        case AttentionFileKind::Json:
            return writeFile(file.path, contents.json());
        case AttentionFileKind::Csv:
            return writeFile(file.path, contents.csv());
        case AttentionFileKind::Svg:
            return writeFile(file.path, contents.svg());
        case AttentionFileKind::Png:
            break;
    }
    return media::writePngOfSvg(contents.svg(), file.path);
}

}  // namespace

Result<std::vector<AttentionFile>> attentionFiles(const std::vector<std::string>& paths) {
    std::vector<AttentionFile> files;
    for (const std::string& path : paths) {
        const auto kind = kindOf(path);
        if (!kind) return kind.error();
        if (*kind == AttentionFileKind::Png)
            if (auto drawn = media::requireSvgDecoder(); !drawn) return drawn.error().in("-o " + path);
        files.push_back({path, *kind});
    }
    for (const AttentionFile& file : files)
        if (const auto pending = PendingFile::create(file.path); !pending) return pending.error();
    return files;
}

Result<void> writeAttentionFiles(const std::vector<AttentionFile>& files, const AttentionContents& contents) {
    for (const AttentionFile& file : files)
        if (auto written = write(file, contents); !written) return written;
    return {};
}

}  // namespace reelgrid::cli
