#pragma once

#include <string>

#include "core/catalog/render_settings.h"

namespace reelgrid::result {

/// Settings that a manifest can be written with and read again, of a small clip on the CPU.
inline catalog::RenderSettings wholeSettings(const std::string& prompt, const std::string& attentionType) {
    catalog::RenderSettings settings;
    settings.prompt = prompt;
    settings.attentionType = attentionType;
    settings.width = settings.height = 32;
    settings.numFrames = 9;
    settings.numInferenceSteps = 2;
    settings.numRepetitions = 1;
    settings.guidanceScale = 5;
    settings.device = "cpu";
    settings.dtype = "fp32";
    settings.vaeTiling = "off";
    settings.vaeTilePx = 256;
    return settings;
}

}  // namespace reelgrid::result
