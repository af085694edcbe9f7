#pragma once

#include <string>
#include <vector>

#include "core/catalog/render_settings.h"
#include "core/families/model_info.h"

namespace reelgrid::catalog {

/// A field of a request that decides nothing of this render, by its key, and why.
struct IdleField {
    std::string key, why;

    bool operator==(const IdleField&) const = default;
};

/// The fields that were asked for, as far as the model takes them at all, and that another of the settings
/// leaves without an effect: a negative prompt without guidance, a flow shift beside a sampler that has none.
/// `backends`: what else is asked for in a comparison of the same, beside the settings' own.
std::vector<IdleField> idleFields(const protocol::RenderRequest& request, const RenderSettings& settings,
                                  const families::ModelInfo& model,
                                  const std::vector<std::string>& backends = {});

}  // namespace reelgrid::catalog
