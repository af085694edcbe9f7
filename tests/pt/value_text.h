#pragma once

#include <string>

#include "core/pt/value.h"

namespace reelgrid::pt {

/// The value as Python would print it, a tensor as "float32(2, 3)/(3, 1)+0: <bytes of its elements>".
std::string textOf(const Value& value);

/// Whether every element of every tensor (the first 10000 of each) lies within its storage.
bool isAllThere(const Value& value);

}  // namespace reelgrid::pt
