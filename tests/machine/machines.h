#pragma once

#include "core/machine/machine.h"

namespace reelgrid::machine {

/// A computer with a plain processor and this build's backends.
inline Machine withoutGpu() {
    Machine machine;
    machine.gpus.obstacle = "no NVIDIA driver";
    machine.cpu = {.name = "Plain CPU",
                   .features = {"avx2", "fma"},
                   .threads = 4,
                   .memoryBytes = 16'000'000'000,
                   .availableBytes = 12'000'000'000};
    addListedBackends(machine);
    return machine;
}

/// A computer with an idle H100 and a build that can use it.
inline Machine withH100() {
    Machine machine = withoutGpu();
    machine.cpu.features.emplace_back("avx512bf16");
    machine.gpus = {.gpus = {{.index = 0,
                              .name = "NVIDIA H100 80GB HBM3",
                              .capability = {9, 0},
                              .bytes = 85'029'158'912,
                              .freeBytes = 84'000'000'000}},
                    .driver = "580.159.04",
                    .driverCuda = 13000,
                    .obstacle = "",
                    .buildObstacle = ""};
    return machine;
}

}  // namespace reelgrid::machine
