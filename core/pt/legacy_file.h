#pragma once

#include <memory>
#include <string_view>

#include "core/pt/value.h"
#include "core/safetensors/mapped_file.h"

namespace reelgrid::pt {

/// Whether it begins as what torch.save wrote before PyTorch 1.6: pickles, then the storages one behind the
/// other. Still how many published weights of that time are.
bool isLegacy(std::string_view bytes);

/// The value in such a file, whose tensors keep it mapped. Throws Failure(InvalidData). Source: PyTorch 2.11,
/// torch/serialization.py (_legacy_save).
Value legacyValue(std::shared_ptr<const safetensors::MappedFile> file);

}  // namespace reelgrid::pt
