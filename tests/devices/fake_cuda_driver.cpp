// The driver interface as far as core/devices/gpu_survey.cpp asks it: cuda.h's names and numbers.

#include "tests/devices/fake_gpus.h"

namespace {

constexpr int kSuccess = 0;
constexpr int kInvalidValue = 1;
constexpr int kNoDevice = 100;
constexpr int kCapabilityMajor = 75;
constexpr int kCapabilityMinor = 76;

int numberIn(const char* variable, int absent) {
    const std::string text = fake::said(variable);
    return text.empty() ? absent : std::stoi(text);
}

fake::Gpu gpu(int device) {
    return fake::gpus().at(static_cast<std::size_t>(device));
}

}  // namespace

extern "C" {

int cuInit(unsigned) {
    return numberIn("FAKE_CUDA_INIT", kSuccess);
}

int cuDriverGetVersion(int* version) {
    *version = numberIn("FAKE_CUDA_VERSION", 13000);
    return kSuccess;
}

int cuGetErrorString(int code, const char** text) {
    *text = code == kNoDevice ? "no CUDA-capable device is detected" : nullptr;
    return *text != nullptr ? kSuccess : kInvalidValue;
}

int cuDeviceGetCount(int* count) {
    *count = static_cast<int>(fake::gpus().size());
    return kSuccess;
}

int cuDeviceGet(int* device, int index) {
    *device = index;
    return kSuccess;
}

int cuDeviceGetName(char* name, int size, int device) {
    fake::put(gpu(device).name, name, static_cast<unsigned>(size));
    return kSuccess;
}

int cuDeviceGetAttribute(int* value, int attribute, int device) {
    if (attribute != kCapabilityMajor && attribute != kCapabilityMinor) return kInvalidValue;
    *value = attribute == kCapabilityMajor ? gpu(device).major : gpu(device).minor;
    return kSuccess;
}

int cuDeviceTotalMem_v2(std::size_t* bytes, int device) {
    *bytes = gpu(device).bytes;
    return kSuccess;
}

int cuDeviceGetPCIBusId(char* id, int size, int device) {
    fake::put(fake::busId(static_cast<std::size_t>(device)), id, static_cast<unsigned>(size));
    return kSuccess;
}
}
