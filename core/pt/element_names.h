#pragma once

#include <array>

#include "core/safetensors/element_type.h"

namespace reelgrid::pt {

/// What PyTorch calls an element type, and the class of a storage of it; the newer types have none.
struct ElementName {
    safetensors::ElementType type;
    const char* dtype;         ///< in the module torch
    const char* storageClass;  ///< likewise, or null
};
inline constexpr std::array kElementNames{
    ElementName{safetensors::ElementType::F64, "float64", "DoubleStorage"},
    ElementName{safetensors::ElementType::F32, "float32", "FloatStorage"},
    ElementName{safetensors::ElementType::F16, "float16", "HalfStorage"},
    ElementName{safetensors::ElementType::BF16, "bfloat16", "BFloat16Storage"},
    ElementName{safetensors::ElementType::F8E4M3, "float8_e4m3fn", nullptr},
    ElementName{safetensors::ElementType::F8E5M2, "float8_e5m2", nullptr},
    ElementName{safetensors::ElementType::I64, "int64", "LongStorage"},
    ElementName{safetensors::ElementType::I32, "int32", "IntStorage"},
    ElementName{safetensors::ElementType::I16, "int16", "ShortStorage"},
    ElementName{safetensors::ElementType::I8, "int8", "CharStorage"},
    ElementName{safetensors::ElementType::U8, "uint8", "ByteStorage"},
    ElementName{safetensors::ElementType::Bool, "bool", "BoolStorage"},
};

constexpr const ElementName& elementNameOf(safetensors::ElementType type) {
    for (const ElementName& name : kElementNames)
        if (name.type == type) return name;
    return kElementNames[1];
}

}  // namespace reelgrid::pt
