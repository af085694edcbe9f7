#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "core/profile/summary.h"
#include "core/profile/trace_reader.h"

namespace reelgrid::profile {

/// Traces made by hand, in a folder of their own. Times in µs.
class TraceFileTest : public testing::Test {
  protected:
    std::filesystem::path m_folder =
        std::filesystem::path(testing::TempDir()) / ("trace_files_" + std::to_string(getpid()));
    void SetUp() override { std::filesystem::create_directories(m_folder); }
    void TearDown() override { std::filesystem::remove_all(m_folder); }

    [[nodiscard]] std::filesystem::path file(const std::string& name, const std::string& content) const {
        std::ofstream(m_folder / name, std::ios::binary) << content;
        return m_folder / name;
    }

    static nlohmann::json event(const std::string& category, const std::string& name, double start,
                                double duration, nlohmann::json arguments = nlohmann::json::object(),
                                int thread = 1) {
        return {{"ph", "X"},       {"cat", category}, {"name", name},  {"ts", start},
                {"dur", duration}, {"pid", 10},       {"tid", thread}, {"args", std::move(arguments)}};
    }
    static nlohmann::json op(const std::string& name, double start, double duration,
                             nlohmann::json arguments = nlohmann::json::object()) {
        return event("cpu_op", name, start, duration, std::move(arguments));
    }
    static nlohmann::json range(const std::string& name, double start, double duration) {
        return event("user_annotation", name, start, duration);
    }
    /// A launch of a call that takes 1 µs, and what it runs on the device.
    static std::vector<nlohmann::json> launched(const std::string& kernel, double start, double kernelStart,
                                                double duration, int correlation) {
        return {event("cuda_runtime", "cudaLaunchKernel", start, 1, {{"correlation", correlation}}),
                event("kernel", kernel, kernelStart, duration, {{"correlation", correlation}}, 7)};
    }

    [[nodiscard]] Summary summaryOfEvents(const nlohmann::json& events) const {
        auto trace = readTrace(file("trace.json", nlohmann::json{{"traceEvents", events}}.dump()));
        return summaryOf(*std::move(trace));
    }

    static const Row& rowOf(const Summary& summary, const std::string& name) {
        for (const Row& row : summary.rows)
            if (row.name == name) return row;
        throw std::runtime_error("no row " + name);
    }
    static double micro(std::int64_t nanoseconds) { return static_cast<double>(nanoseconds) * 1e-3; }
};

}  // namespace reelgrid::profile
