#include "app/cli/versions.h"

#include <array>

#include "app/cli/libtorch_version.h"
#include "app/version/version_text.h"
#include "core/devices/cuda_half.h"
#include "core/media/capabilities.h"

namespace reelgrid::cli {
namespace {

std::string cudaVersion() {
    const auto half = devices::findCudaHalf();
    return half ? cudaRuntimeVersion() + ", " + half->libtorch.string() : "none: " + half.error().message;
}

}  // namespace

std::string versions() {
    return versionText("ReelGrid", std::array{LibraryVersion{"libtorch", libtorchVersion()},
                                              LibraryVersion{"FFmpeg", media::ffmpegVersion()},
                                              LibraryVersion{"CUDA", cudaVersion()}});
}

}  // namespace reelgrid::cli
