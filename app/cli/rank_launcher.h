#pragma once

#include <stop_token>

namespace reelgrid::cli {

/// Starts this program with its own words so many times, each as one rank of this host, and waits for all.
/// The first one has this process's stdout. `stop` is passed on to them once. Should one end by a signal, the
/// others are told; should they not end by themselves, they are ended. The exit code: of the first that
/// failed.
int launchRanks(int ranks, const std::stop_token& stop);

/// Whether this process is a rank that was started so.
bool isLaunchedRank();

/// In a rank that was started so: to end with who started it.
void endWithLauncher();

}  // namespace reelgrid::cli
