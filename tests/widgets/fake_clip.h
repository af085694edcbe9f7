#pragma once

#include <chrono>
#include <functional>
#include <thread>
#include <utility>

#include "core/media/clip.h"
#include "widgets/video_grid/frame_source.h"

namespace reelgrid {

/// A clip of grey frames whose luma is the frame's number.
class FakeClip : public media::Clip {
  public:
    using Hook = std::function<Result<void>(int index)>;

    FakeClip(int frames, double fps, Hook hook = {}) : m_hook(std::move(hook)) {
        m_info.width = 16;
        m_info.height = 8;
        m_info.fps = {std::int64_t(fps * 1000), 1000};
        for (int i = 0; i < frames; ++i) m_info.frameSeconds.push_back(i / fps);
        m_info.durationSeconds = frames / fps;
        m_info.codec = "fake";
    }
    [[nodiscard]] const media::ClipInfo& info() const override { return m_info; }
    Result<media::FramePtr> frame(int index) override {
        if (m_hook)
            if (auto said = m_hook(index); !said) return said.error();
        auto frame = std::make_shared<media::YuvFrame>();
        frame->width = m_info.width;
        frame->height = m_info.height;
        frame->index = index;
        frame->seconds = m_info.frameSeconds[std::size_t(index)];
        const auto plane = [](int width, int height, int value) {
            return media::Plane{width, height, width,
                                std::vector<std::uint8_t>(std::size_t(width * height), std::uint8_t(value))};
        };
        frame->y = plane(16, 8, index % 256);
        frame->u = plane(8, 4, 128);
        frame->v = plane(8, 4, 128);
        return media::FramePtr(std::move(frame));
    }

  private:
    media::ClipInfo m_info;
    Hook m_hook;
};

inline FakeClip::Hook slow(int milliseconds) {
    return [milliseconds](int) -> Result<void> {
        std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
        return {};
    };
}

/// Opens fake clips by what their name says: "broken" can't be opened, "slow" takes 30 ms a frame, "holed"
/// has no frame 5; "8", "24", … is the rate; all last two seconds.
inline Result<std::unique_ptr<media::Clip>> openFake(const std::filesystem::path& path) {
    const std::string name = path.string();
    if (name.starts_with("broken")) return Error{ErrorCode::InvalidData, name + ": not a clip"};
    const double fps = std::atof(name.c_str() + name.find_first_of("0123456789"));
    FakeClip::Hook hook;
    if (name.starts_with("slow")) hook = slow(30);
    if (name.starts_with("holed"))
        hook = [](int index) -> Result<void> {
            if (index == 5) return Error{ErrorCode::InvalidData, "frame 5: damaged"};
            return {};
        };
    return std::unique_ptr<media::Clip>(std::make_unique<FakeClip>(int(fps * 2), fps, hook));
}

}  // namespace reelgrid
