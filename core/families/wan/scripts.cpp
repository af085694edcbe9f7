#include "core/families/wan/scripts.h"

namespace reelgrid::families::wan {
namespace {

constexpr const char* kSurfboardPrompt =
    "Summer beach vacation style, a white cat wearing sunglasses sits on a surfboard. The fluffy-furred "
    "feline "
    "gazes directly at the camera with a relaxed expression. Blurred beach scenery forms the background "
    "featuring crystal-clear waters, distant green hills, and a blue sky dotted with white clouds. The cat "
    "assumes a naturally relaxed posture, as if savoring the sea breeze and warm sunlight. A close-up shot "
    "highlights the feline's intricate details and the refreshing atmosphere of the seaside.";

constexpr std::array kRunWan{ScriptDefault{"--num-repetitions", "5"}, ScriptDefault{"--height", "480"},
                             ScriptDefault{"--width", "720"}, ScriptDefault{"--num-frames", "49"},
                             ScriptDefault{"--attention-type", "default"}};
constexpr std::array kRenderAllWan{ScriptDefault{"--types", "sagev1,fav3_sage,fav3_fp8"},
                                   ScriptDefault{"--output-dir", "./rendered_video_wan22"},
                                   ScriptDefault{"--model", "Wan-AI/Wan2.2-I2V-A14B-Diffusers"},
                                   ScriptDefault{"--img-file-path", "/app/Wan/i2v_input.JPG"},
                                   ScriptDefault{"--prompt", kSurfboardPrompt},
                                   ScriptDefault{"--task", "i2v"},
                                   ScriptDefault{"--height", "720"},
                                   ScriptDefault{"--width", "1280"},
                                   ScriptDefault{"--num-frames", "81"},
                                   ScriptDefault{"--num-inference-steps", "40"}};

constexpr std::array kVaeBenchmark{
    ScriptDefault{"--model", "Wan-AI/Wan2.2-I2V-A14B", ".cache/wan/Wan2.1_VAE.pth"}};

constexpr std::array kScripts{
    Script{.name = "run_wan",
           .verb = {"render"},
           .defaults = kRunWan,
           .ranks = Script::Ranks::OfDegrees,
           .trace = "wan_traces_rank",
           .hasOwnWays = true},
    Script{.name = "render_all_wan",
           .verb = {"compare"},
           .defaults = kRenderAllWan,
           .ranks = Script::Ranks::OfGpus,
           .hasOwnWays = true},
    Script{.name = "wan_vae_benchmark", .verb = {"bench", "vae"}, .defaults = kVaeBenchmark},
    Script{.name = "wan2.1_t2v_infer", .verb = {"render"}},
    Script{.name = "wan2.2_i2v_infer", .verb = {"render"}},
};

}  // namespace

std::span<const Script> scripts() {
    return kScripts;
}

}  // namespace reelgrid::families::wan
