#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "core/base/result.h"
#include "core/pt/value.h"
#include "core/safetensors/header.h"

namespace reelgrid::pt {

/// Whether the name is one of torch.save's files: .pth, .pt or .ckpt.
bool isPtName(const std::filesystem::path& file);

/// A folder's weights as torch.save() alone wrote them for diffusers or transformers:
/// diffusion_pytorch_model.bin or pytorch_model.bin; empty where it has neither. A link whose target is gone
/// is one: whoever opens it says so.
std::filesystem::path stateDictIn(const std::filesystem::path& folder);

/// The named tensors of a file of torch.save: a state dict by itself, or one under "state_dict". What
/// readPt() says, or InvalidData when the file holds none.
Result<std::map<std::string, Tensor>> readStateDict(const std::filesystem::path& file);

/// Names, dtypes and shapes of a file of weights, as a safetensors header has them: of torch.save's files by
/// their names, else of safetensors. None of the tensors is read.
Result<safetensors::TensorEntries> weightHeaderOf(const std::filesystem::path& file);

}  // namespace reelgrid::pt
