#pragma once

#include <string>

#include "core/protocol/render_fields.h"

namespace reelgrid::protocol {

/// What tells renders of one picture apart, in file names, captions and tables: the backend, a policy that
/// alters it, parameters of backends, how much sparse attention keeps where that isn't the usual, what linear
/// layers multiply, and a step cache: "fav2", "fav2+policy-3f2a", "sla+topk-0.2", "sla+int8",
/// "sdpa+cache-0.08". The reference is the one that is called kReferenceBackend.
template <template <class> class Maybe>
std::string attentionName(const RenderFields<Maybe>& fields);

/// Whether a backend's calls depend on RenderFields::slaTopk.
bool isSparse(const std::string& backend);
/// Whether any call of a render may.
template <template <class> class Maybe>
bool asksForSparse(const RenderFields<Maybe>& fields);

/// "int8", "fp8"; empty for products in the dtype.
std::string linearName(const std::string& linear);

}  // namespace reelgrid::protocol
