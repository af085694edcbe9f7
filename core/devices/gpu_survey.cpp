#include "core/devices/gpu_survey.h"

#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <memory>

#include "core/devices/cuda_half.h"

namespace reelgrid::devices {
namespace {

/// A shared library for as long as it is looked at.
class DriverLibrary {
  public:
    explicit DriverLibrary(const char* file) : m_handle(dlopen(file, RTLD_NOW | RTLD_LOCAL), &close) {
        const char* error = m_handle ? nullptr : dlerror();
        if (error != nullptr) m_error = error;
    }

    [[nodiscard]] bool isThere() const { return m_handle != nullptr; }
    /// Why it isn't there, as the loader says it.
    [[nodiscard]] const std::string& error() const { return m_error; }
    template <class Function>
    [[nodiscard]] Function* find(const char* name) const {
        return m_handle ? reinterpret_cast<Function*>(dlsym(m_handle.get(), name)) : nullptr;
    }

  private:
    // The driver's libraries start threads: they are never unloaded.
    static void close(void*) {}
    std::unique_ptr<void, void (*)(void*)> m_handle;
    std::string m_error;
};

std::string cudaText(int version) {
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

// The driver interface as cuda.h and nvml.h declare it; neither header is needed to build this.
constexpr int kCapabilityMajor = 75;
constexpr int kCapabilityMinor = 76;
struct NvmlMemory {
    unsigned long long total, free, used;
};

/// Free memory and the driver's version, which the CUDA driver itself tells only a running context.
void askNvml(GpuSurvey& survey, const std::vector<std::string>& busIds) {
    const DriverLibrary nvml("libnvidia-ml.so.1");
    const auto init = nvml.find<int()>("nvmlInit_v2");
    const auto version = nvml.find<int(char*, unsigned)>("nvmlSystemGetDriverVersion");
    const auto byBusId = nvml.find<int(const char*, void**)>("nvmlDeviceGetHandleByPciBusId_v2");
    const auto memory = nvml.find<int(void*, NvmlMemory*)>("nvmlDeviceGetMemoryInfo");
    if (init == nullptr || init() != 0) return;
    std::array<char, 96> text{};
    if (version != nullptr && version(text.data(), text.size()) == 0) survey.driver = text.data();
    for (std::size_t i = 0; i < survey.gpus.size() && byBusId != nullptr && memory != nullptr; ++i) {
        void* device = nullptr;
        NvmlMemory bytes{};
        if (byBusId(busIds[i].c_str(), &device) == 0 && memory(device, &bytes) == 0)
            survey.gpus[i].freeBytes = bytes.free;
    }
}

}  // namespace

std::string ComputeCapability::text() const {
    return std::to_string(major) + "." + std::to_string(minor);
}

std::optional<std::string> Gpu::obstacle() const {
    if (capability >= kLeastCapability) return std::nullopt;
    return name + " has compute capability " + capability.text() + ", " + kLeastCapability.text() +
           " or later was needed";
}

namespace {

GpuSurvey askDriver() {
    const char* chosen = std::getenv("REELGRID_CUDA_DRIVER");
    const std::string file = chosen != nullptr && *chosen != '\0' ? chosen : "libcuda.so.1";
    GpuSurvey survey;
    const DriverLibrary cuda(file.c_str());
    if (!cuda.isThere()) {
        const bool missing = cuda.error().find("No such file") != std::string::npos;
        survey.obstacle = missing ? "no NVIDIA driver (" + file + " was not found)"
                                  : "the NVIDIA driver can't be loaded: " + cuda.error();
        return survey;
    }
    const auto init = cuda.find<int(unsigned)>("cuInit");
    const auto version = cuda.find<int(int*)>("cuDriverGetVersion");
    const auto errorText = cuda.find<int(int, const char**)>("cuGetErrorString");
    const auto count = cuda.find<int(int*)>("cuDeviceGetCount");
    const auto get = cuda.find<int(int*, int)>("cuDeviceGet");
    const auto name = cuda.find<int(char*, int, int)>("cuDeviceGetName");
    const auto attribute = cuda.find<int(int*, int, int)>("cuDeviceGetAttribute");
    const auto total = cuda.find<int(std::size_t*, int)>("cuDeviceTotalMem_v2");
    const auto busId = cuda.find<int(char*, int, int)>("cuDeviceGetPCIBusId");
    if (!init || !version || !errorText || !count || !get || !name || !attribute || !total || !busId) {
        survey.obstacle = file + " is not an NVIDIA driver";
        return survey;
    }
    if (const int failed = init(0); failed != 0) {
        const char* text = nullptr;
        errorText(failed, &text);
        survey.obstacle = "the NVIDIA driver does not start: " +
                          (text != nullptr ? std::string(text) : "error " + std::to_string(failed));
        return survey;
    }
    version(&survey.driverCuda);

    int gpus = 0;
    count(&gpus);
    std::vector<std::string> busIds;
    for (int i = 0; i < gpus; ++i) {
        int device = 0;
        if (get(&device, i) != 0) break;  // an index is a position in the list
        Gpu& gpu = survey.gpus.emplace_back();
        std::array<char, 256> text{};
        name(text.data(), static_cast<int>(text.size()) - 1, device);
        gpu.index = i;
        gpu.name = text.data();
        attribute(&gpu.capability.major, kCapabilityMajor, device);
        attribute(&gpu.capability.minor, kCapabilityMinor, device);
        std::size_t bytes = 0;
        total(&bytes, device);
        gpu.bytes = bytes;
        text = {};
        busId(text.data(), static_cast<int>(text.size()) - 1, device);
        busIds.emplace_back(text.data());
    }
    askNvml(survey, busIds);
    if (survey.gpus.empty())
        survey.obstacle = "the NVIDIA driver shows no GPU";
    else if (survey.driverCuda < kLeastDriverCuda)
        survey.obstacle = "the NVIDIA driver" + (survey.driver.empty() ? "" : " " + survey.driver) +
                          " runs CUDA up to " + cudaText(survey.driverCuda) + ", a driver for CUDA " +
                          cudaText(kLeastDriverCuda) + " was needed";
    return survey;
}

}  // namespace

GpuSurvey surveyGpus() {
    GpuSurvey survey = askDriver();
    if (const auto half = findCudaHalf(); !half) survey.buildObstacle = half.error().message;
    return survey;
}

}  // namespace reelgrid::devices
