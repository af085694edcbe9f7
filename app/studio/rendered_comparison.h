#pragma once

#include <QString>
#include <filesystem>
#include <string>
#include <vector>

#include "core/comparison/entry.h"
#include "core/families/model_info.h"
#include "core/machine/machine.h"
#include "core/result/interrupted_renders.h"
#include "core/session/session.h"

namespace reelgrid::studio {

/// A comparison that renders go into: its folder, and the session that makes it reachable later.
struct RenderedComparison {
    std::filesystem::path folder;           ///< where its new clips go
    std::filesystem::path sessionFile;      ///< saved whenever its renders have settled
    session::Session session;               ///< the clips on disk and what was asked for
    std::vector<comparison::Entry> failed;  ///< its renders that left no clip, each with its error
    QString matrixSubject{};  ///< in words, of one that is a part of a matrix; empty: it is none
    int reusing = 0;          ///< clips of identical renders that are being put there
};

/// A new one in a folder of its own below `results`, named after the time and the prompt.
RenderedComparison newComparison(const protocol::RenderRequest& request,
                                 const std::filesystem::path& results);

/// That of a session which was opened from `file`: renders go where its clips are, or into a new folder where
/// nothing can be written there.
RenderedComparison openedComparison(const session::Session& session, const std::filesystem::path& file,
                                    const std::filesystem::path& results);

/// That of a render which was interrupted: its session or the clips that are there, as far as they lie in its
/// folder. A session that can't be taken whole is left as it is, beside the new one. Blocks on the disk.
RenderedComparison interruptedComparison(const result::InterruptedRender& render);

/// Whether two requests ask `model` for the same picture, so that their clips can be compared frame by frame:
/// they differ at most in how attention is computed, in the frame rate and in how often they are repeated.
bool isSameSubject(const protocol::RenderRequest& a, const protocol::RenderRequest& b,
                   const families::ModelInfo& model, const machine::Machine& machine);

/// The request as one backend renders it into the folder.
protocol::RenderRequest requestFor(const protocol::RenderRequest& request, const std::string& backend,
                                   const families::ModelInfo& model, const std::filesystem::path& folder);

}  // namespace reelgrid::studio
