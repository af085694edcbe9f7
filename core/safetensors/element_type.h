#pragma once

#include <cstdint>
#include <string>

namespace reelgrid::safetensors {

/// The element types that can be read and written here. The format has a few more (F4, U16, C64, …).
enum class ElementType { F64, F32, F16, BF16, F8E4M3, F8E5M2, I64, I32, I16, I8, U8, Bool };

/// The name in a header: "BF16", "F8_E4M3".
const char* nameOf(ElementType type);
std::uint64_t bytesOf(ElementType type);

/// Throws Failure(Unsupported): "<where> has dtype …".
ElementType elementTypeOf(const std::string& name, const std::string& where);

}  // namespace reelgrid::safetensors
