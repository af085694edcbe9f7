#pragma once

#include "core/catalog/render_settings.h"
#include "core/families/model_info.h"

namespace reelgrid::pipeline {

/// Gives the settings the size of the clip that their picture makes: its shape, at the area of the size that
/// was asked for; that size itself with --force-output-size or without a picture. Throws Failure naming the
/// file, or BadUsage for a shape that the model can't have.
void fitToPicture(catalog::RenderSettings& settings, const families::ModelInfo& model);

}  // namespace reelgrid::pipeline
