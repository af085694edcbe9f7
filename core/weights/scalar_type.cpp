#include "core/weights/scalar_type.h"

#include <array>

#include "core/base/result.h"

namespace reelgrid::weights {
namespace {

using safetensors::ElementType;

struct Pair {
    ElementType stored;
    at::ScalarType dtype;
};
constexpr std::array kPairs{
    Pair{ElementType::F64, at::kDouble},
    Pair{ElementType::F32, at::kFloat},
    Pair{ElementType::F16, at::kHalf},
    Pair{ElementType::BF16, at::kBFloat16},
    Pair{ElementType::F8E4M3, at::kFloat8_e4m3fn},
    Pair{ElementType::F8E5M2, at::kFloat8_e5m2},
    Pair{ElementType::I64, at::kLong},
    Pair{ElementType::I32, at::kInt},
    Pair{ElementType::I16, at::kShort},
    Pair{ElementType::I8, at::kChar},
    Pair{ElementType::U8, at::kByte},
    Pair{ElementType::Bool, at::kBool},
};

[[noreturn]] void throwOfType(at::ScalarType dtype, const std::string& where, const char* needed) {
    throw Failure(ErrorCode::InvalidData,
                  where + " has dtype " + at::toString(dtype) + ", " + needed + " was needed");
}

}  // namespace

at::ScalarType scalarTypeOf(ElementType type) {
    for (const Pair& pair : kPairs)
        if (pair.stored == type) return pair.dtype;
    throw Failure(ErrorCode::Internal, std::string("no libtorch dtype for ") + nameOf(type));
}

ElementType elementTypeOf(at::ScalarType dtype) {
    for (const Pair& pair : kPairs)
        if (pair.dtype == dtype) return pair.stored;
    throw Failure(ErrorCode::Unsupported, std::string("dtype ") + at::toString(dtype) + " can't be written");
}

void requireFloatingPoint(at::ScalarType dtype, const std::string& where) {
    if (!c10::isFloatingType(dtype)) throwOfType(dtype, where, "a floating-point one");
}

void requireInt8(at::ScalarType dtype, const std::string& where) {
    if (dtype != at::kChar) throwOfType(dtype, where, "int8");
}

}  // namespace reelgrid::weights
