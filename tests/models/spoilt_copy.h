#pragma once

#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/pending_file.h"
#include "core/pipeline/renderer.h"
#include "core/protocol/render_request.h"

namespace reelgrid::models {

inline constexpr char kNans = '\xff';
/// fp32 of 3e38: whatever is computed with them isn't finite.
inline constexpr char kTooLarge = '\x7f';

/// A copy of a model's folder and of what its links lead to, whose weights can be spoilt.
class SpoiltCopy {
  public:
    explicit SpoiltCopy(const std::filesystem::path& model)
        : m_folder(std::filesystem::path(testing::TempDir()) / ("spoilt_" + std::to_string(getpid()))) {
        std::filesystem::remove_all(m_folder);
        std::filesystem::copy(model, m_folder, std::filesystem::copy_options::recursive);
    }
    SpoiltCopy(const SpoiltCopy&) = delete;
    SpoiltCopy& operator=(const SpoiltCopy&) = delete;
    ~SpoiltCopy() { std::filesystem::remove_all(m_folder); }

    [[nodiscard]] const std::filesystem::path& folder() const { return m_folder; }

    /// Fills the tensors of a component's safetensors file with a byte; the file.
    [[nodiscard]] std::filesystem::path spoil(const std::string& component, char with) const {
        for (const auto& entry : std::filesystem::directory_iterator(m_folder / component)) {
            if (entry.path().extension() != ".safetensors") continue;
            std::string bytes = readFile(entry.path()).value();
            std::uint64_t header = 0;
            std::memcpy(&header, bytes.data(), sizeof header);
            std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(sizeof header + header), bytes.end(), with);
            writeFile(entry.path(), bytes).value();
            return entry.path();
        }
        ADD_FAILURE() << component << " has no safetensors file";
        return {};
    }

  private:
    std::filesystem::path m_folder;
};

/// What a render says that has to fail, leaving no clip.
inline std::string complaintOf(protocol::RenderRequest request, const std::filesystem::path& model) {
    request.model = model.string();
    request.output = (model / "out/clip.mp4").string();
    const auto clip = pipeline::Renderer().render(request, {}, {});
    EXPECT_FALSE(std::filesystem::exists(request.output));
    return clip ? "a clip came of it" : clip.error().message;
}

/// NaNs in any component's weights are named by file and tensor as they are read; what becomes infinite as
/// `network` computes is named by its step, and as the VAE decodes by a frame.
inline void expectFiniteChecks(const std::filesystem::path& model, const protocol::RenderRequest& request,
                               const std::vector<std::string>& components, const std::string& network) {
    using testing::HasSubstr;
    for (const std::string& component : components) {
        const SpoiltCopy copy(model);
        const auto file = copy.spoil(component, kNans);
        EXPECT_THAT(
            complaintOf(request, copy.folder()),
            testing::AllOf(HasSubstr(file.string() + ": tensor"), HasSubstr("has NaN or infinite values")))
            << component;
    }
    const SpoiltCopy overflowing(model);
    (void)overflowing.spoil(network, kTooLarge);
    EXPECT_THAT(complaintOf(request, overflowing.folder()),
                testing::AllOf(HasSubstr("step 1 of"), HasSubstr("the latents have NaN or infinite values")));
    const SpoiltCopy unseen(model);
    (void)unseen.spoil("vae", kTooLarge);
    EXPECT_THAT(complaintOf(request, unseen.folder()), HasSubstr("NaN or infinite values"));
}

}  // namespace reelgrid::models
