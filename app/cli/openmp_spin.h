#pragma once

namespace reelgrid::cli {

/// How often libgomp's threads look for work before they sleep, as GOMP_SPINCOUNT says it: about 10 µs,
/// longer than a hand-over between two loops, shorter than a time slice by far.
inline constexpr char kShortSpinning[] = "10000";

/// libgomp's threads spin for milliseconds at the end of each parallel loop. On an idle machine that is
/// harmless; where something else wants the cores (the window playing clips while its worker renders) it took
/// 2 to 3 times as long.
///
/// libgomp reads GOMP_SPINCOUNT in its initialiser, before main() and before anything of the program's own
/// that could change the environment. So the program has a getenv() of its own (openmp_spin.cpp), which the
/// libraries that it loads call, too: it says what the environment says, and kShortSpinning where that names
/// neither GOMP_SPINCOUNT nor OMP_WAIT_POLICY. Processes that are started from here see nothing of it.
///
/// What getenv() answers, of an environment as `environ` has it; null: nothing.
const char* valueInEnvironment(const char* const* environment, const char* name);

}  // namespace reelgrid::cli
