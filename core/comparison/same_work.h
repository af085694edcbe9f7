#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/comparison/entry.h"
#include "core/protocol/attention_call.h"
#include "core/result/clip_result.h"

namespace reelgrid::comparison {

/// Seconds of attention of one kind (without one: of all) in one repetition, on average. Absent when it was
/// not measured.
std::optional<double> attentionSeconds(const result::ClipResult& result,
                                       std::optional<protocol::ModuleKind> kind = std::nullopt);

/// Seconds of denoising spent outside attention in one repetition, on average: the same work whichever
/// backend attends.
std::optional<double> secondsOutsideAttention(const result::ClipResult& result);

/// Whether two renders had the same to do outside attention, on devices of one name, so that the times of it
/// can be compared. Of two whose manifests have no settings nothing else is known: true.
bool hadSameWork(const result::Manifest& one, const result::Manifest& other);

/// How long the same work took in the fastest and in the slowest of several renders.
struct SameWork {
    double fastest = 0;
    double slowest = 0;

    /// True when the machine was evidently not equally fast for all of them, so that their times can't be
    /// compared.
    [[nodiscard]] bool isUneven() const;
};

/// Over the renders' seconds outside attention; absent with fewer than two of them.
std::optional<SameWork> sameWorkOf(const std::vector<double>& secondsOutsideAttention);
/// Of entries those that did what the first of them did.
std::optional<SameWork> sameWorkOf(const std::vector<Entry>& entries);

/// Which clips were rendered on which machines, where those aren't the same for all: "rendered on different
/// machines, whose times aren't comparable: sdpa here; fav2 on ssh://gpu03". Empty where they are.
std::string machinesLine(const std::vector<Entry>& entries);

/// The warning where that is uneven: one line with the figures.
std::string unevenWorkLine(const SameWork& work);

}  // namespace reelgrid::comparison
