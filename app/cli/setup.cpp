#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "app/cli/console.h"
#include "app/cli/interrupt.h"
#include "app/cli/verb.h"
#include "core/base/resources.h"
#include "core/devices/cuda_half.h"

namespace reelgrid::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kScript = "setup-libtorch";

/// The script beside the lists of wheels: an installed program's, else the source tree's. Empty: neither.
fs::path setupScript() {
    const fs::path resources = resourceFolder();
    std::error_code failed;
    for (const fs::path& folder : {resources / "setup", resources.parent_path() / "packaging"})
        if (fs::exists(folder / kScript, failed)) return folder / kScript;
    return {};
}

int setUpCuda() {
    if (const auto kernels = devices::findCudaKernels(); !kernels) return fail(kernels.error());
    if (const auto half = devices::findCudaHalf()) return printResult(half->libtorch.string());
    const fs::path script = setupScript();
    if (script.empty())
        return fail({ErrorCode::NotFound,
                     std::string("setup cuda: no ") + kScript + " beside " + resourceFolder().string()});
    ::setenv("REELGRID_CUDA", "1", 1);
    unblockInterrupts();
    ::execl(script.c_str(), kScript, "--cuda-half", nullptr);
    return fail({ErrorCode::Io, "setup cuda: " + script.string() + " can't be run: " + std::strerror(errno)});
}

}  // namespace

Verb addSetupVerb(CLI::App& program) {
    CLI::App* command = program.add_subcommand("setup", "Fetch what isn't part of a package");
    command->require_subcommand(1);
    command->add_subcommand(
        "cuda",
        "libtorch's CUDA half: NVIDIA's and PyTorch's wheels by pip, 2.5 GB, checked against their hashes, "
        "into "
        "~/.cache/reelgrid ($REELGRID_CACHE); a wheel that has come whole isn't fetched again");
    return {command, [] { return setUpCuda(); }};
}

}  // namespace reelgrid::cli
