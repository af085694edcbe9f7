#include "core/safetensors/element_type.h"

#include <array>

#include "core/safetensors/header.h"

namespace reelgrid::safetensors {
namespace {

struct NamedType {
    ElementType type;
    const char* name;
    std::uint64_t bytes;
};
constexpr std::array kTypes{
    NamedType{ElementType::F64, "F64", 8},        NamedType{ElementType::F32, "F32", 4},
    NamedType{ElementType::F16, "F16", 2},        NamedType{ElementType::BF16, "BF16", 2},
    NamedType{ElementType::F8E4M3, "F8_E4M3", 1}, NamedType{ElementType::F8E5M2, "F8_E5M2", 1},
    NamedType{ElementType::I64, "I64", 8},        NamedType{ElementType::I32, "I32", 4},
    NamedType{ElementType::I16, "I16", 2},        NamedType{ElementType::I8, "I8", 1},
    NamedType{ElementType::U8, "U8", 1},          NamedType{ElementType::Bool, "BOOL", 1},
};

const NamedType& rowOf(ElementType type) {
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
    for (const NamedType& row : kTypes)
        if (name == row.name) return row.type;
    throw Failure(ErrorCode::Unsupported, where + " has dtype " + quotedName(name) + ", which can't be read");
}

}  // namespace reelgrid::safetensors
