#pragma once

#include <QStringList>
#include <filesystem>
#include <stop_token>

#include "app/studio/comparison.h"
#include "core/comparison/clip_measurer.h"

namespace reelgrid::studio {

struct ReadFacts {
    ClipFacts facts;
    QStringList problems;
};

/// Reads a clip's companion files. Blocks on the disk; for a background thread.
ReadFacts readClipFacts(const std::filesystem::path& clip);
/// Measures what they lack, which may take minutes; its problems alone are told. For a background thread.
QStringList completeClipFacts(const std::filesystem::path& clip, const comparison::ClipMeasurer& measurer,
                              ClipFacts& facts, const std::stop_token& stop);

}  // namespace reelgrid::studio
