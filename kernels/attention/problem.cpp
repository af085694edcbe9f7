#include "kernels/attention/problem.h"

namespace reelgrid::kernels {

const char* nameOf(DataType type) {
    switch (type) {
        case DataType::Float32:
            return "fp32";
        case DataType::BFloat16:
            return "bf16";
        case DataType::Float16:
            return "fp16";
    }
    return "unknown";
}

const char* nameOf(Device device) {
    switch (device) {
        case Device::Cpu:
            return "cpu";
        case Device::Cuda:
            return "cuda";
    }
    return "unknown";
}

}  // namespace reelgrid::kernels
