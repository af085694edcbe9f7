#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/attention/problem.h"
#include "kernels/backends/backend_option.h"

namespace reelgrid::kernels {

/// What a plug-in's file says of one of its backends (reelgrid/attention_backend.h), and which file that is.
struct PluginDescription {
    std::string name, title, description, version, author;
    std::string file;    ///< absolute: the library, or the recipe that names one
    std::string sha256;  ///< of that file; of a recipe, of everything that it names
    std::vector<Device> devices;
    std::vector<DataType> types;
    bool causal = false;
    bool keyBias = false;
    bool sharedKeyHeads = false;
    bool logSumExp = false;
    std::int64_t maxHeadDim = 0;
    std::int64_t headDimMultiple = 1;
    double claimedL1 = 0;  ///< Σ|out − truth| / Σ|truth| of an approximation; 0: exact
    std::vector<BackendOption> options;

    [[nodiscard]] bool isFor(Device device) const;
    [[nodiscard]] bool takes(DataType type) const;
};

/// What runs a plug-in's backend; loads its code when it is first asked something. Throws what the process
/// that runs it catches (core/plugins).
class PluginKernel {
  public:
    virtual ~PluginKernel() = default;
    /// What its own code has against a problem that its description allows.
    virtual std::optional<std::string> whyNot(const AttentionProblem& problem) = 0;
    /// As AttentionPlan has it.
    virtual std::int64_t workspaceBytes(const AttentionProblem& problem) = 0;
    /// After workspaceBytes() of the same problem.
    virtual void attend(const AttentionProblem& problem) = 0;
};

/// A backend that isn't ours.
struct PluginBackend {
    PluginDescription description;
    std::unique_ptr<PluginKernel> kernel;  ///< null in a program that only names it
};

}  // namespace reelgrid::kernels
