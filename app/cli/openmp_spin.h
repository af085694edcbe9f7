#pragma once

namespace reelgrid::cli {

/// Starts the program again, once, with GOMP_SPINCOUNT set, unless the user has set that or OMP_WAIT_POLICY.
///
/// libgomp's threads spin for milliseconds at the end of each parallel loop. On an idle machine that is
/// harmless; where something else wants the cores (the window playing clips while its worker renders) it took
/// 2 to 3 times as long. libgomp reads the variable before main(), so it must be in the environment of a new
/// program. Returns where nothing was to be done or the program can't be started again.
void limitOpenMpSpinning(char** argv);

}  // namespace reelgrid::cli
