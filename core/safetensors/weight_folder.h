#pragma once

// Which files of a component's folder its weights are in, as diffusers and transformers look for them.

#include <filesystem>
#include <map>
#include <string>

namespace reelgrid::safetensors {

/// What a folder's weights are read from: a file or an index of shards; empty where there are none. Of shards
/// and a whole file diffusers takes the shards, transformers the file; those in fp16 alone are taken where
/// there are no others. A link whose target is gone counts: what stands behind it is not what was meant.
std::filesystem::path weightsIn(const std::filesystem::path& folder);

/// The file that each tensor is in, by an index of shards. Throws Failure(InvalidData) naming the index and
/// the tensor that isn't in a file of its folder.
std::map<std::string, std::string> shardsOf(const std::filesystem::path& index);

}  // namespace reelgrid::safetensors
