#pragma once

#include "core/suite/other_suite.h"
#include "core/suite/suite_result.h"

namespace reelgrid::suite {

/// Compares with another suite, by jobs of equal values, as far as both rendered the same otherwise. What was
/// compared is in result.against, which stays empty where nothing could be; why, in result.againstNotes.
void compareWith(SuiteResult& result, const OtherSuite& other);

}  // namespace reelgrid::suite
