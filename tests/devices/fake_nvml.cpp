// NVML's interface as far as core/devices/gpu_survey.cpp asks it: nvml.h's names and structs.

#include "tests/devices/fake_gpus.h"

namespace {

constexpr int kSuccess = 0;
constexpr int kUninitialized = 1;
constexpr int kNotFound = 6;

struct Memory {
    unsigned long long total, free, used;
};

}  // namespace

extern "C" {

int nvmlInit_v2() {
    return fake::said("FAKE_NVML_DRIVER").empty() ? kUninitialized : kSuccess;
}

int nvmlSystemGetDriverVersion(char* version, unsigned size) {
    fake::put(fake::said("FAKE_NVML_DRIVER"), version, size);
    return kSuccess;
}

// A handle is the index, from 1.
int nvmlDeviceGetHandleByPciBusId_v2(const char* id, void** device) {
    for (std::size_t i = 0; i < fake::gpus().size(); ++i)
        if (fake::busId(i) == id) {
            *device = reinterpret_cast<void*>(i + 1);
            return kSuccess;
        }
    return kNotFound;
}

int nvmlDeviceGetMemoryInfo(void* device, Memory* memory) {
    const fake::Gpu gpu = fake::gpus().at(reinterpret_cast<std::size_t>(device) - 1);
    *memory = {gpu.bytes, gpu.freeBytes, gpu.bytes - gpu.freeBytes};
    return kSuccess;
}
}
