#include "core/vae/image/names.h"

#include <array>
#include <string_view>
#include <utility>

#include "core/base/result.h"

namespace reelgrid::vae::image {
namespace {

using weights::WeightSource;

struct Renaming {
    std::string_view now, then;
};

void replaceFirst(std::string& name, std::string_view from, std::string_view to) {
    if (const auto at = name.find(from); at != std::string::npos) name.replace(at, from.size(), to);
}

/// The attention's parts by ldm's names and by diffusers' of before 2023.
constexpr std::array kLdmAttention{
    Renaming{"attentions.0.group_norm.", "attn_1.norm."}, Renaming{"attentions.0.to_q.", "attn_1.q."},
    Renaming{"attentions.0.to_k.", "attn_1.k."}, Renaming{"attentions.0.to_v.", "attn_1.v."},
    Renaming{"attentions.0.to_out.0.", "attn_1.proj_out."}};
constexpr std::array kOldAttention{Renaming{".to_q.", ".query."}, Renaming{".to_k.", ".key."},
                                   Renaming{".to_v.", ".value."}, Renaming{".to_out.0.", ".proj_attn."}};

bool isAttentionMatrix(const std::string& name, at::IntArrayRef shape) {
    return shape.size() == 2 && name.find("attentions.0.to_") != std::string::npos;
}

enum class VaeNaming { Old, Ldm };

class RenamedVae final : public WeightSource {
  public:
    RenamedVae(std::unique_ptr<WeightSource> checkpoint, VaeNaming naming, std::int64_t sizes,
               std::string prefix)
        : m_checkpoint(std::move(checkpoint)),
          m_naming(naming),
          m_sizes(sizes),
          m_prefix(std::move(prefix)) {}

    at::Tensor require(const std::string& name, at::IntArrayRef shape) override {
        const std::string stored = storedName(name);
        if (m_naming == VaeNaming::Old || !isAttentionMatrix(name, shape))
            return m_checkpoint->require(stored, shape);
        return m_checkpoint->require(stored, {shape[0], shape[1], 1, 1}).reshape(shape);
    }
    [[nodiscard]] bool has(const std::string& name) const override {
        return m_checkpoint->has(storedName(name));
    }

  private:
    [[nodiscard]] std::string storedName(std::string name) const {
        if (m_naming == VaeNaming::Ldm) return m_prefix + ldmVaeName(name, m_sizes);
        for (const auto& [now, then] : kOldAttention) replaceFirst(name, now, then);
        return name;
    }

    std::unique_ptr<WeightSource> m_checkpoint;
    VaeNaming m_naming;
    std::int64_t m_sizes;
    std::string m_prefix;
};

}  // namespace

std::string ldmVaeName(const std::string& name, std::int64_t sizes) {
    std::string ldm = name;
    replaceFirst(ldm, "mid_block.resnets.0.", "mid.block_1.");
    replaceFirst(ldm, "mid_block.resnets.1.", "mid.block_2.");
    for (const auto& [now, then] : kLdmAttention) replaceFirst(ldm, now, then);
    replaceFirst(ldm, "mid_block.", "mid.");
    constexpr std::string_view kUp = "up_blocks.";
    if (const auto at = ldm.find(kUp); at != std::string::npos) {
        const std::size_t digits = at + kUp.size(), end = ldm.find('.', digits);
        const std::int64_t level = sizes - 1 - std::stoll(ldm.substr(digits, end - digits));
        ldm.replace(at, end - at, "up." + std::to_string(level));
    }
    replaceFirst(ldm, "down_blocks.", "down.");
    replaceFirst(ldm, ".resnets.", ".block.");
    replaceFirst(ldm, ".conv_shortcut.", ".nin_shortcut.");
    replaceFirst(ldm, ".downsamplers.0.", ".downsample.");
    replaceFirst(ldm, ".upsamplers.0.", ".upsample.");
    replaceFirst(ldm, ".conv_norm_out.", ".norm_out.");
    return ldm;
}

std::unique_ptr<WeightSource> imageVaeNames(std::unique_ptr<WeightSource> checkpoint, std::int64_t sizes,
                                            const std::string& prefix) {
    const auto renamed = [&](VaeNaming naming) {
        return std::make_unique<RenamedVae>(std::move(checkpoint), naming, sizes, prefix);
    };
    if (checkpoint->has(prefix + "decoder.norm_out.weight")) return renamed(VaeNaming::Ldm);
    if (checkpoint->has("decoder.mid_block.attentions.0.query.weight")) return renamed(VaeNaming::Old);
    return checkpoint;
}

}  // namespace reelgrid::vae::image
