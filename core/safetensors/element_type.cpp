#include "core/safetensors/element_type.h"

#include <array>

#include "core/safetensors/header.h"

namespace reelgrid::safetensors {
namespace {

struct Named {
    ElementType type;
    const char* name;
    std::uint64_t bytes;
};
constexpr std::array kTypes{
    Named{ElementType::F64, "F64", 8},        Named{ElementType::F32, "F32", 4},
    Named{ElementType::F16, "F16", 2},        Named{ElementType::BF16, "BF16", 2},
    Named{ElementType::F8E4M3, "F8_E4M3", 1}, Named{ElementType::F8E5M2, "F8_E5M2", 1},
    Named{ElementType::I64, "I64", 8},        Named{ElementType::I32, "I32", 4},
    Named{ElementType::I16, "I16", 2},        Named{ElementType::I8, "I8", 1},
    Named{ElementType::U8, "U8", 1},          Named{ElementType::Bool, "BOOL", 1},
};

const Named& rowOf(ElementType type) {
    return kTypes.at(static_cast<std::size_t>(type));
}

}  // namespace

const char* nameOf(ElementType type) {
    return rowOf(type).name;
}

std::uint64_t bytesOf(ElementType type) {
    return rowOf(type).bytes;
}

ElementType elementTypeOf(const std::string& name, const std::string& where) {
    for (const Named& row : kTypes)
        if (name == row.name) return row.type;
    throw Failure(ErrorCode::Unsupported, where + " has dtype " + quotedName(name) + ", which can't be read");
}

}  // namespace reelgrid::safetensors
