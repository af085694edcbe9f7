#pragma once

namespace reelgrid::plugins {

/// Gives the calling thread a stack of its own for signal handlers, for as long as it lives: a handler of a
/// stack overflow has none else. Does nothing where the thread has one.
void haveAlternateStack();

}  // namespace reelgrid::plugins
