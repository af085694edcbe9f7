#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/benchmark/kernel_check.h"

namespace reelgrid::cli {

/// How fast a kernel is beside others, on one shape.
struct CheckedSpeed {
    std::optional<double> callOverheadMicroseconds;  ///< where calls go to another process
    std::string shape, dtype;
    struct Row {
        std::string kernel;
        double milliseconds = 0;
        double timesSdpa = 0;
        double gflops = 0;
    };
    std::vector<Row> rows;
};

/// What `backends check` found out about one backend.
struct BackendCheck {
    const kernels::BackendInfo* backend = nullptr;
    std::string device = "cpu";
    benchmark::Claim claim;
    std::vector<benchmark::CheckCase> cases;
    std::vector<benchmark::CheckOutcome> outcomes;  ///< as many
    std::optional<CheckedSpeed> speed;
    std::string whyNoSpeed;

    [[nodiscard]] std::size_t holding() const;
    [[nodiscard]] std::size_t failing() const;
    [[nodiscard]] std::size_t unsupported() const;
};

/// For a person, to be pasted into a pull request.
std::string checkTable(const BackendCheck& check);
nlohmann::json checkJson(const BackendCheck& check);

}  // namespace reelgrid::cli
