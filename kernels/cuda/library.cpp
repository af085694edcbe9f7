#include "kernels/cuda/library.h"

#include <dlfcn.h>

#include <mutex>

namespace reelgrid::kernels::cuda {
namespace {

const Library* g_library = nullptr;
void* g_handle = nullptr;

std::string lastLoadError(const std::string& path) {
    const char* text = dlerror();
    return text != nullptr ? text : path + ": it could not be loaded";
}

}  // namespace

std::string load(const std::string& path) {
    static std::mutex once;
    const std::lock_guard lock(once);
    if (g_library != nullptr) return "";
    void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);  // stays for the process
    if (handle == nullptr) return lastLoadError(path);
    const auto entry = reinterpret_cast<const Library* (*)()>(dlsym(handle, kEntry));
    if (entry == nullptr) return lastLoadError(path);
    const Library* found = entry();
    if (found->version != Library::kVersion)
        return path + ": its version is " + std::to_string(found->version) + ", " +
               std::to_string(Library::kVersion) + " was needed";
    g_library = found;
    g_handle = handle;
    return "";
}

const Library* library() {
    return g_library;
}

void* symbol(const char* name) {
    return g_handle != nullptr ? dlsym(g_handle, name) : nullptr;
}

}  // namespace reelgrid::kernels::cuda
