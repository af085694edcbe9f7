#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <stop_token>
#include <string>

#include "app/cli/checked_request.h"
#include "core/base/result.h"
#include "core/result/clip_result.h"

namespace reelgrid::cli {

/// diffusers in the user's Python, which renders what ReelGrid renders: resources/engines.
class DiffusersEngine {
  public:
    static constexpr const char* kName = "diffusers";

    /// BadUsage naming the Python and what it lacks.
    static Result<DiffusersEngine> find();

    /// "diffusers 0.40.0"
    [[nodiscard]] std::string title() const { return std::string(kName) + " " + m_version; }

    /// BadUsage naming what of the request it can't be given: a model in another form than diffusers' folder,
    /// a pipeline that it isn't handed, an option that only ReelGrid has.
    [[nodiscard]] Result<void> accepts(const CheckedRequest& checked) const;

    /// OutOfMemory where a render that was accepted would decode in tiles on this machine, as far as that can
    /// be told before it: diffusers decodes whole.
    [[nodiscard]] Result<void> acceptsDecodeOf(const CheckedRequest& checked,
                                               const machine::Machine& machine) const;
    /// The same of a clip that is there.
    [[nodiscard]] Result<void> acceptsDecoded(const std::filesystem::path& clip) const;

    using Told = std::function<void(const std::string& stage, int done, int total)>;

    /// Renders what the clip `reference` is of, from the same noise, into a result of its own at `clip`.
    [[nodiscard]] Result<void> render(const CheckedRequest& checked, const std::filesystem::path& reference,
                                      const std::filesystem::path& clip, const Told& told,
                                      const std::stop_token& stop) const;

  private:
    DiffusersEngine(std::filesystem::path python, std::string version, nlohmann::json pipelines)
        : m_python(std::move(python)), m_version(std::move(version)), m_pipelines(std::move(pipelines)) {}

    [[nodiscard]] Result<void> requireDecodedWhole(const catalog::RenderSettings& made,
                                                   const std::filesystem::path& clip) const;

    std::filesystem::path m_python;
    std::string m_version;
    nlohmann::json m_pipelines;  ///< what diffusers_pipelines.json says
};

/// How far the latents of two clips are from each other: mean |difference| over mean |reference's|.
/// InvalidData where they are of other shapes.
Result<double> latentError(const std::filesystem::path& clip, const std::filesystem::path& reference);

}  // namespace reelgrid::cli
