#pragma once

#include <QStringList>
#include <filesystem>
#include <stop_token>

#include "app/studio/comparison.h"

namespace reelgrid::studio {

struct ReadFacts {
    ClipFacts facts;
    QStringList problems;
};

/// Reads a clip's companion files; measures what they lack, against `reference` unless that is empty or the
/// clip itself. Blocks; for a background thread.
ReadFacts readClipFacts(const std::filesystem::path& clip, const std::filesystem::path& reference,
                        const std::stop_token& stop);

}  // namespace reelgrid::studio
