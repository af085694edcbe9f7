#pragma once

#include <filesystem>

#include "core/base/result.h"
#include "core/pt/value.h"

namespace reelgrid::pt {

/// What of a zip archive is held to its checksums: tensors' bytes, too, which reads the whole file.
enum class Checked { Structure, AllBytes };

/// Reads what torch.save wrote, in a zip archive (since PyTorch 1.6) or one pickle after another, of plain
/// data, as torch.load(weights_only=True) takes it. Tensors are views of the mapped file, which they keep.
/// InvalidData naming the file, what was found and what was needed.
Result<Value> readPt(const std::filesystem::path& file, Checked checked = Checked::Structure);

/// Writes a file that torch.load(weights_only=True) reads; equal values give equal bytes. Io when the disk is
/// full; nothing has the file's name then.
Result<void> writePt(const std::filesystem::path& file, const Value& value);

}  // namespace reelgrid::pt
