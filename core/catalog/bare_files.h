#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/families/family.h"
#include "core/families/model_source.h"

namespace reelgrid::catalog {

// Repositories of the hub that hold a transformer as a bare file of weights, as TurboDiffusion's do, and
// nothing else that a render needs.

/// Of a repository's files those of the transformer: .pth files at its top, but for VAEs and encoders;
/// without quantised ones ("-quant") where there are others. Sorted.
std::vector<std::string> transformerFiles(const std::vector<std::string>& files);

/// Of a repository's files the one at its top that is the component by its name ("vae": Wan2.1_VAE.pth);
/// none, or one.
std::vector<std::string> componentFiles(const std::vector<std::string>& files, const std::string& component);
/// The same of a snapshot; empty: it has none.
std::filesystem::path componentFileIn(const std::filesystem::path& snapshot, const std::string& component);

/// Whether a model is named as the hub names one, OWNER/NAME or OWNER/NAME/FILE, and nothing here is called
/// so.
bool isOnHub(const std::string& id);

/// A model's file of weights in the hub's cache: OWNER/NAME/FILE, or the transformer of a repository that
/// holds nothing else. Empty: there is none.
std::filesystem::path bareFileOf(const std::string& id);

/// The one of a snapshot that names the model: of two experts the high-noise one. Empty: it has none.
std::filesystem::path transformerFileIn(const std::filesystem::path& snapshot);

/// What a transformer's file comes without, as its family says; none for files of no family.
std::vector<families::Companion> companionsOf(const std::filesystem::path& transformer);

/// Those of them that the hub's cache has.
std::vector<families::ModelPart> presentCompanions(const std::filesystem::path& transformer);

}  // namespace reelgrid::catalog
