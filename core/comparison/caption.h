#pragma once

#include <string>
#include <vector>

#include "core/protocol/attention_call.h"
#include "core/protocol/render_fields.h"
#include "core/result/manifest.h"

namespace reelgrid::comparison {

/// What a clip of a comparison is called, wherever it is shown.
struct Caption {
    std::string name;      ///< protocol::attentionName: "fav2", "fav2+policy-3f2a"
    std::string backend;   ///< that was asked for: "fav2"; decides the colour
    std::string remark;    ///< what ran in its place: "ran sdpa"; empty: it ran as asked
    std::string recipe{};  ///< by which it was rendered; empty: none

    /// "fav2", "fav2 (ran sdpa)", "fav2+policy-3f2a (ran fav2+sdpa; cross-attention ran sdpa)".
    [[nodiscard]] std::string text() const;
    /// Whether the others are measured against this clip: the reference backend throughout.
    [[nodiscard]] bool isReference() const { return name == protocol::kReferenceBackend && remark.empty(); }
    /// Whether a label that a person or a file's name gave the clip names other backends and not this one, or
    /// says that another ran.
    [[nodiscard]] bool isContradictedBy(const std::string& label) const;
    /// Such a label beside what ran, "sla (labelled sdpa)"; any other with the remark behind it, "the first
    /// try (ran sdpa)". Empty, or the name alone: text().
    [[nodiscard]] std::string labelled(const std::string& label) const;
};

/// Of a render that has not ended yet (no `attention`), or that its manifest tells about.
template <template <class> class Maybe>
Caption captionOf(const protocol::RenderFields<Maybe>& fields,
                  const std::vector<protocol::CallRecord>& attention = {});
/// Empty when the manifest doesn't say what was asked for.
Caption captionOf(const result::Manifest& manifest);

}  // namespace reelgrid::comparison
