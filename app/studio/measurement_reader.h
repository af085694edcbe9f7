#pragma once

#include <QStringList>
#include <filesystem>
#include <stop_token>

#include "app/studio/comparison.h"
#include "core/comparison/clip_measurer.h"

namespace reelgrid::studio {

/// A measurer for the window: clips of which it holds too much in memory stay unmeasured, with a message.
comparison::ClipMeasurer clipMeasurer(const std::filesystem::path& reference);

struct ReadFacts {
    ClipFacts facts;
    QStringList problems;
};

/// Reads a clip's companion files. Blocks on the disk; for a background thread.
ReadFacts readClipFacts(const std::filesystem::path& clip);
/// Measures what they lack, which may take minutes; its problems alone are told. For a background thread.
QStringList completeClipFacts(const std::filesystem::path& clip, comparison::ClipMeasurer& measurer,
                              ClipFacts& facts);

}  // namespace reelgrid::studio
