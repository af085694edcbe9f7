#include "core/families/cogvideox/scripts.h"

namespace reelgrid::families::cogvideox {
namespace {

constexpr const char* kScriptModel = "THUDM/CogVideoX-2b";
constexpr std::array kRenderOne{ScriptDefault{"--model", kScriptModel}};
constexpr std::array kRenderAll{ScriptDefault{"--model", kScriptModel},
                                ScriptDefault{"--types", "sdpa,sagev1,fav2,fav3,fav3_fp8,fav3_sage"},
                                ScriptDefault{"--output-dir", "./rendered_videos"}};

constexpr std::array kScripts{
    Script{.name = "sageattn_cogvideo",
           .verb = {"render"},
           .defaults = kRenderOne,
           .captures = "./captured_inputs"},
    Script{.name = "render_all_attention", .verb = {"compare"}, .defaults = kRenderAll, .hasOwnWays = true},
    Script{.name = "bench_cogvideo", .verb = {"bench", "attention"}},
    Script{.name = "stitch_comparison", .verb = {"stitch"}, .hasOwnWays = true},
};

}  // namespace

std::span<const Script> scripts() {
    return kScripts;
}

}  // namespace reelgrid::families::cogvideox
