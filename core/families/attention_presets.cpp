#include "core/families/attention_presets.h"

#include <algorithm>
#include <array>

namespace reelgrid::families {
namespace {

// Tokens are latent frames × height × width after patching, as the checkpoints' own configs have them. A UNet
// is represented by its highest resolution, which takes most of its attention time.
constexpr std::array kPresets{
    AttentionPreset{"wan-1.3b-480p", "1,12,32760,128",
                    "Wan 2.1 1.3B self-attention, 832×480, 81 frames: 21·30·52 tokens"},
    AttentionPreset{"wan-1.3b-480p-cross", "1,12,32760,128,512", "its cross-attention over 512 text tokens"},
    AttentionPreset{"wan-14b-480p", "1,40,32760,128",
                    "Wan 2.1 and 2.2 14B self-attention, 832×480, 81 frames"},
    AttentionPreset{"wan-14b-720p", "1,40,75600,128", "the same, 1280×720: 21·45·80 tokens"},
    AttentionPreset{"wan-14b-720p-cross", "1,40,75600,128,512", "its cross-attention over 512 text tokens"},
    AttentionPreset{"wan-ti2v-5b-720p", "1,24,27280,128",
                    "Wan 2.2 TI2V 5B self-attention, 1280×704, 121 frames: 31·22·40 tokens"},
    AttentionPreset{"cogvideox-2b", "1,30,17776,64",
                    "CogVideoX 2B joint attention, 720×480, 49 frames: 13·30·45 + 226 tokens"},
    AttentionPreset{"cogvideox-5b", "1,48,17776,64", "CogVideoX 5B joint attention, the same tokens"},
    AttentionPreset{"svd-576p", "25,5,9216,64",
                    "Stable Video Diffusion XT spatial attention, 1024×576, 25 frames: 72·128 tokens each"},
    AttentionPreset{"svd-576p-temporal", "9216,5,25,64", "its temporal attention over 25 frames"},
    AttentionPreset{"animatediff-sd15", "16,8,4096,40",
                    "AnimateDiff on Stable Diffusion 1.5, spatial attention, 512×512, 16 frames"},
    AttentionPreset{"animatediff-sd15-cross", "16,8,4096,40,77", "its cross-attention over 77 text tokens"},
    AttentionPreset{"animatediff-sd15-temporal", "4096,8,16,40", "its motion module over 16 frames"},
    AttentionPreset{"sd3.5-medium", "1,24,4429,64",
                    "Stable Diffusion 3.5 medium joint attention, 1024×1024: 64·64 + 77 + 256 tokens"},
    AttentionPreset{"sd3.5-large", "1,38,4429,64",
                    "Stable Diffusion 3.5 large joint attention, the same tokens"},
};

}  // namespace

std::span<const AttentionPreset> attentionPresets() {
    return kPresets;
}

const AttentionPreset* findPreset(std::string_view name) {
    const auto* found = std::ranges::find(kPresets, name, &AttentionPreset::name);
    return found == kPresets.end() ? nullptr : found;
}

}  // namespace reelgrid::families
