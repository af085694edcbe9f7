#pragma once

#include "core/suite/suite_result.h"

namespace reelgrid::suite {

/// In what the clip that now lies in a row's place is another than its job asked for, as its manifest says:
/// "seed 1, where 2 was asked for". Empty where it is that job's, or says nothing. Reads the manifest.
std::string otherThanAsked(const SuiteResult& suite, const SuiteRow& row);

}  // namespace reelgrid::suite
