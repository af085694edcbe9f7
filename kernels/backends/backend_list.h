#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/attention/method.h"
#include "kernels/attention/plan.h"
#include "kernels/attention/problem.h"
#include "kernels/backends/backend_option.h"
#include "kernels/backends/plugin_backend.h"

namespace reelgrid::kernels {

/// What a device's kernels take.
struct Support {
    bool causal = false;
    bool keyBias = false;
    bool logSumExp = false;
    bool unsmoothedKeys = false;  ///< KeySmoothing::None, where the method smooths
    std::int64_t maxHeadDim = 0;
};

/// How one device runs a backend.
struct Implementation {
    std::string_view deviation;  ///< where it differs from the GPU definition; may be empty
    Support supports;
    /// How it runs a problem that `supports` allows; null: this version has none.
    AttentionPlan (*plan)(const AttentionProblem&) = nullptr;
};

/// libtorch's own operators: whichever it chooses for the call, or one by name.
enum class LibtorchOperator { Choice, Cudnn, Flash };

/// What an attention backend is and can do: what the command line, `doctor` and the studio's tooltips say of
/// it.
struct BackendInfo {
    std::string_view name;                       ///< as --attention-type takes it
    std::string_view title;                      ///< one line
    std::string_view description;                ///< what it computes
    std::optional<Method> method{};              ///< of kernels of our own
    std::optional<LibtorchOperator> libtorch{};  ///< else the operator of libtorch that it is
    const PluginBackend* plugin = nullptr;       ///< else what a user's file brings
    bool sparse = false;                         ///< leaves pairs out
    /// Reads sparseLinear.projection; without one it adds nothing.
    bool linearBranch = false;
    /// Compared and tuned where it is asked for by name, and no part of what is taken otherwise.
    bool isByNameOnly = false;
    std::span<const BuiltInOption> builtInOptions{};  ///< options() gives a plug-in's too
    Implementation cpu{};
    Implementation cuda{};

    [[nodiscard]] const Implementation& on(Device device) const;
    /// Whether this version has it for the device at all.
    [[nodiscard]] bool runsOn(Device device) const;
    /// Whether it is a kernel of ours that leaves out blocks of pairs, so that it has a map of those it
    /// keeps.
    [[nodiscard]] bool hasBlockMap() const { return sparse && method && plugin == nullptr; }
    /// What --backend-option may set.
    [[nodiscard]] std::vector<BackendOption> options() const;
};

/// Every backend that this build has, in the order to show them, then those that were added.
std::span<const BackendInfo> backends();

/// How many plug-in backends there may be.
inline constexpr std::size_t kMostPluginBackends = 64;

/// Puts a plug-in's backend at the end of the list, for the rest of the process. An error text when its name
/// is taken or the list is full. One thread adds; others may read meanwhile.
std::optional<std::string> addBackend(PluginBackend backend);

/// Those that run on the device.
std::vector<const BackendInfo*> backendsOn(Device device);
/// Of these what is measured where nobody names any.
std::vector<const BackendInfo*> usualBackendsOn(Device device);

/// Which those are, for --help: "every one of the device but sagev2, sparge".
std::string usualBackendsInWords();

/// Null when there is none of that name.
const BackendInfo* findBackend(std::string_view name);

/// The names, separated by ", ", for messages.
std::string backendNames();

/// How this backend would run this problem on its device. Its obstacle is one line that begins with the
/// backend's name. On the CPU attend() throws std::runtime_error when REELGRID_CPU forces what the machine
/// lacks; a plug-in's throws what its PluginKernel does.
AttentionPlan plan(const BackendInfo& backend, const AttentionProblem& problem);

/// The plan's obstacle; nothing when there is none.
std::optional<std::string> whyNot(const BackendInfo& backend, const AttentionProblem& problem);

/// Plans and runs a problem whose workspace, where one is needed, is there. Throws std::runtime_error with
/// the obstacle, if there is one.
void run(const BackendInfo& backend, const AttentionProblem& problem);

}  // namespace reelgrid::kernels
