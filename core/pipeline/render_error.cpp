#include "core/pipeline/render_error.h"

#include <c10/util/Exception.h>

#include <new>

#include "core/pipeline/render_manifest.h"

namespace reelgrid::pipeline {
namespace {

Error errorOf(const c10::Error& failure, ErrorCode code) {
    const std::string message = failure.what_without_backtrace();
    return {code, message.substr(0, message.find('\n'))};
}

Error errorOfGpu(const c10::AcceleratorError& failure, const protocol::RenderRequest& request) {
    constexpr int kMemoryAllocation = 2;  // cudaErrorMemoryAllocation
    if (failure.get_error_code() == kMemoryAllocation)
        return errorOf(failure, ErrorCode::OutOfMemory).in("the GPU's memory is full");
    Error error = errorOf(failure, ErrorCode::DeviceLost).in("the GPU failed");
    // What a kernel did is seen later, wherever the GPU is waited for.
    for (const result::PluginRecord& plugin : pluginsOf(request))
        error.message += " Plug-in " + plugin.backend + " was asked for: `reelgrid-cli backends check " +
                         plugin.file + " --device cuda` says whether it is to blame.";
    return error;
}

}  // namespace

Result<std::string> renderOrError(const protocol::RenderRequest& request,
                                  const std::function<std::string()>& render) {
    try {
        return render();
    } catch (const Failure& failure) {
        return failure.error();
    } catch (const c10::OutOfMemoryError& failure) {
        Error error = errorOf(failure, ErrorCode::OutOfMemory);
        error.message += error.message.ends_with('.') ? " " : ". ";
        error.message +=
            "--offload blocks (where the model takes it), --vae-tiling on, --vae-dtype bf16, "
            "a smaller size or fewer frames take less.";
        return error;
    } catch (const c10::AcceleratorError& failure) {
        return errorOfGpu(failure, request);
    } catch (const c10::Error& failure) {
        return errorOf(failure, ErrorCode::Internal);
    } catch (const std::bad_alloc&) {
        return Error{ErrorCode::OutOfMemory, "the machine's memory is not enough for this render"};
    } catch (const std::exception& failure) {
        return Error{ErrorCode::Internal, failure.what()};
    }
}

}  // namespace reelgrid::pipeline
