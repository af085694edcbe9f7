#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace reelgrid::hub {

/// What the hub says a file's hash is (as RemoteFile::hash), as far as it is written down on this machine:
/// the name of the blob that a snapshot of the cache links to, or what `huggingface-cli download --local-dir`
/// keeps beside it in .cache/huggingface/download. Nothing for other files.
std::optional<std::string> expectedHash(const std::filesystem::path& file);

}  // namespace reelgrid::hub
