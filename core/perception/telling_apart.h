#pragma once

#include <string>

#include "core/perception/clip_pair.h"
#include "core/perception/dino_encoder.h"
#include "core/perception/lpips.h"
#include "core/perception/metric_source.h"

namespace reelgrid::perception {

// Weights of zeros, or that overflow, give one number for all pictures or none. Each of these throws
// Failure(InvalidData) with the metric and its files unless the network, in finite numbers, tells two made-up
// pictures apart that have nothing in common.

void requireTellsApart(const Lpips& network, const MetricSource& source, at::Device device);
void requireTellsApart(const DinoEncoder& network, const MetricSource& source, at::Device device);
void requireTellsApart(const ClipPair& network, const MetricSource& source, at::Device device);
/// The same of two texts. Reads the tokenizer's files.
void requireTellsTextsApart(const ClipPair& network, const MetricSource& source);

}  // namespace reelgrid::perception
