#include "core/protocol/result_paths.h"

namespace reelgrid::protocol {

std::filesystem::path resultFolderOf(const std::filesystem::path& clip) {
    std::filesystem::path folder = clip;
    folder.replace_extension(".files");
    return folder;
}

bool isTraceFolder(const std::string& profileOutput) {
    return profileOutput.find('/') != std::string::npos;
}

std::filesystem::path tracePathOf(const std::filesystem::path& clip, const std::string& profileOutput,
                                  int rank) {
    const std::filesystem::path folder = isTraceFolder(profileOutput)
                                             ? std::filesystem::path(profileOutput) / clip.stem()
                                             : resultFolderOf(clip) / kTracesFolder / profileOutput;
    return folder / ("trace_rank" + std::to_string(rank) + ".json.gz");
}

}  // namespace reelgrid::protocol
