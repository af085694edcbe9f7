#pragma once

#include <cstddef>
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
    std::string interpreter{};  ///< of a kernel in Python: who runs it
    std::string runtime{};      ///< and what that is: "Python 3.12.3, torch 2.11.0"

    [[nodiscard]] bool isFor(Device device) const;
    [[nodiscard]] bool takes(DataType type) const;
};

/// Memory of the CPU in which a plug-in's kernel sees tensors without a copy. Thread-safe; lives until the
/// process ends.
class PluginMemory {
  public:
    virtual ~PluginMemory() = default;
    /// Null when it is full. At a multiple of 64 bytes.
    [[nodiscard]] virtual void* allocate(std::size_t bytes) = 0;
    virtual void free(void* block) = 0;
    [[nodiscard]] virtual bool holds(const void* address) const = 0;
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
    /// Where its tensors had best lie; null: anywhere.
    virtual PluginMemory* memory() { return nullptr; }
    /// Seconds that a call takes beside the kernel itself, where that is more than calling a function.
    virtual std::optional<double> secondsBesideKernel() { return std::nullopt; }
};

/// A backend that isn't ours.
struct PluginBackend {
    PluginDescription description;
    std::unique_ptr<PluginKernel> kernel;  ///< null in a program that only names it
};

}  // namespace reelgrid::kernels
