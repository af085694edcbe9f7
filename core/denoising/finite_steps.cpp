#include "core/denoising/finite_steps.h"

#include <string>

#include "core/base/result.h"
#include "core/weights/finite_check.h"

namespace reelgrid::denoising {
namespace {

[[noreturn]] void throwNotFinite(int done, int total) {
    throw Failure(
        ErrorCode::InvalidData,
        "step " + std::to_string(done) + " of " + std::to_string(total) +
            ": the latents have NaN or infinite values: in fp16 they may have left its range (65504; "
            "--dtype bf16 has more), else weights, a LoRA or a backend are at fault");
}

}  // namespace

void FiniteSteps::look(int done, int total, const at::Tensor& latents) {
    if (latents.is_cpu()) {
        if (!weights::isFinite(latents)) throwNotFinite(done, total);
        return;
    }
    m_total = total;
    m_asked.emplace_back(done, at::isfinite(latents).all());
}

void FiniteSteps::require() {
    if (m_asked.empty()) return;
    std::vector<at::Tensor> answers;
    for (const auto& [done, isFinite] : m_asked) answers.push_back(isFinite);
    const at::Tensor all = at::stack(answers).cpu();
    const auto asked = std::exchange(m_asked, {});
    for (std::size_t i = 0; i < asked.size(); ++i)
        if (!all[static_cast<std::int64_t>(i)].item<bool>()) throwNotFinite(asked[i].first, m_total);
}

}  // namespace reelgrid::denoising
