#pragma once

#include <filesystem>

class QWidget;

namespace reelgrid::studio {

class Settings;

/// Whether the person lets an attention plug-in run. Its library or recipe is code that may do whatever they
/// may, so they are asked, once for a file with these contents. No: they didn't, or it can't be read.
bool mayRunCode(QWidget* parent, Settings& settings, const std::filesystem::path& file);

}  // namespace reelgrid::studio
