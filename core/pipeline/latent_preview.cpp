#include "core/pipeline/latent_preview.h"

#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "core/base/json.h"
#include "core/base/pending_file.h"
#include "core/base/resources.h"

// Shape legend: C latent channels, T latent frames, H and W latent rows and columns.

namespace reelgrid::pipeline {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kLeastApart{250};
constexpr std::size_t kMostFileBytes = std::size_t{1} << 20;

at::Tensor tensorOf(const nlohmann::json& list) {
    return at::tensor(list.get<std::vector<float>>(), at::kFloat);
}

/// Throws nlohmann's exceptions for what doesn't have the fields.
std::optional<LatentColors> colorsFrom(const nlohmann::json& object, const std::string& vaeSha256) {
    if (object.at("vae_sha256").get<std::string>() != vaeSha256) return std::nullopt;
    std::vector<at::Tensor> rows;
    for (const nlohmann::json& row : object.at("weights")) rows.push_back(tensorOf(row));
    LatentColors colors{at::stack(rows), tensorOf(object.at("bias"))};
    if (colors.weights_C3.size(1) != 3 || colors.bias_3.size(0) != 3) return std::nullopt;
    return colors;
}

}  // namespace

std::optional<LatentColors> latentColorsOf(const std::string& vaeSha256) {
    std::error_code failed;
    for (fs::directory_iterator file(resourceFolder() / "previews", failed), end; !failed && file != end;
         file.increment(failed)) {
        if (file->path().extension() != ".json") continue;
        const auto text = readFile(file->path(), kMostFileBytes);
        const auto object = text ? parseJson(*text, "preview") : Result<nlohmann::json>(text.error());
        if (!object) continue;
        try {
            if (auto colors = colorsFrom(*object, vaeSha256)) return colors;
        } catch (const std::exception&) {
            continue;
        }
    }
    return std::nullopt;
}

PreviewObserver::PreviewObserver(LatentColors colors, int steps, protocol::PreviewCallback show)
    : m_colors(std::move(colors)), m_steps(steps), m_show(std::move(show)) {}

at::Tensor PreviewObserver::colored(const at::Tensor& latents_1CTHW) const {
    at::Tensor latents_CTHW = latents_1CTHW[0];
    const std::int64_t frameBytes = 3 * latents_CTHW.size(2) * latents_CTHW.size(3);
    const auto most = std::max<std::int64_t>(1, std::int64_t(protocol::kMaxPreviewBytes) / frameBytes);
    const std::int64_t stride = (latents_CTHW.size(1) + most - 1) / most;
    latents_CTHW = latents_CTHW.slice(1, 0, std::nullopt, stride);
    const at::Tensor latents_THWC = latents_CTHW.permute({1, 2, 3, 0}).to(at::kFloat);
    const at::Tensor rgb_THWC = at::matmul(latents_THWC, m_colors.weights_C3) + m_colors.bias_3;
    return rgb_THWC.clamp(0, 1).mul(255).round().to(at::kByte).contiguous();
}

void PreviewObserver::show(int step, const at::Tensor& rgb_THWC) {
    protocol::RenderPreview preview{.step = step,
                                    .steps = m_steps,
                                    .width = int(rgb_THWC.size(2)),
                                    .height = int(rgb_THWC.size(1)),
                                    .rgb = {}};
    const at::Tensor onCpu = rgb_THWC.to(at::kCPU);
    const auto* bytes = onCpu.const_data_ptr<std::uint8_t>();
    preview.rgb.assign(bytes, bytes + onCpu.numel());
    m_show(preview);
}

/// Queues the copy from a GPU; showWhenThere() shows it.
void PreviewObserver::send(int step, const at::Tensor& rgb_THWC) {
    const at::Device device = rgb_THWC.device();
    at::Tensor copy_THWC = at::empty(rgb_THWC.sizes(), at::TensorOptions(at::kByte).pinned_memory(true));
    copy_THWC.copy_(rgb_THWC, /*non_blocking=*/true);
    m_sent.emplace(Sent{step, std::move(copy_THWC), c10::Event(device.type())});
    m_sent->there.record(c10::impl::VirtualGuardImpl(device.type()).getStream(device));
}

void PreviewObserver::showWhenThere() {
    if (!m_sent || !m_sent->there.query()) return;
    show(m_sent->step, m_sent->rgb_THWC);
    m_sent.reset();
}

bool PreviewObserver::takes(const at::Tensor& latents) {
    if (latents.dim() != 5 || latents.size(1) != m_colors.weights_C3.size(0)) return false;
    m_colors.weights_C3 = m_colors.weights_C3.to(latents.device());
    m_colors.bias_3 = m_colors.bias_3.to(latents.device());
    return true;
}

void PreviewObserver::predicted(int step, const at::Tensor& latents, Prediction /*predict*/) {
    const auto now = std::chrono::steady_clock::now();
    showWhenThere();
    if (step > 0 && !m_sent && now - m_shown >= kLeastApart && takes(latents)) {
        m_shown = now;
        if (latents.device().is_cpu())
            show(step, colored(latents));
        else
            send(step, colored(latents));
    }
}

void PreviewObserver::denoised(const at::Tensor& latents) {
    m_sent.reset();
    if (takes(latents)) show(m_steps, colored(latents));
}

}  // namespace reelgrid::pipeline
