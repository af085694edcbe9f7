#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/protocol/render_request.h"

namespace CLI {
class App;
}
namespace reelgrid::catalog {
struct RenderSettings;
}

namespace reelgrid::cli {

/// Options of TurboDiffusion's scripts (wan2.1_t2v_infer.py, wan2.2_i2v_infer.py) that aren't a field of a
/// request, so that their command lines work with the program alone replaced. Those that only have another
/// name here are option_spelling.cpp's.
class ScriptOptions {
  public:
    void addTo(CLI::App& command);

    /// Whether the command is such a script's: it names the transformer by --dit-path.
    [[nodiscard]] bool isScript() const { return m_transformer.has_value(); }
    /// A backend as the scripts name it, by our name; theirs where --attention-type says nothing.
    [[nodiscard]] std::string backendOf(const std::string& attentionType) const;
    /// For a verb that renders several clips of one request.
    void allowSamples() { m_mostSamples = 1000; }
    [[nodiscard]] int samples() const { return m_samples; }

    /// Puts what they say into the request. BadUsage naming the option, its value and what was needed.
    Result<void> apply(protocol::RenderRequest& request) const;

    /// A line for each that decides nothing in the render which came of them.
    [[nodiscard]] std::vector<std::string> idleOptions(const catalog::RenderSettings& settings) const;

    /// Where a script's clip goes when nothing says it.
    static constexpr const char* kOutput = "output/generated_video.mp4";

  private:
    [[nodiscard]] bool isGiven(const char* option) const;
    Result<void> nameTransformer(protocol::RenderRequest& request) const;
    Result<void> chooseSize(protocol::RenderRequest& request) const;

    const CLI::App* m_command = nullptr;
    std::optional<std::string> m_transformer, m_resolution, m_aspectRatio;
    int m_samples = 1, m_mostSamples = 1;
    bool m_ode = false, m_quantLinear = false, m_adaptiveResolution = false, m_defaultNorm = false;
};

}  // namespace reelgrid::cli
