// Clips whose frames carry their number as a bar code, read back from the picture on screen.

#include <gtest/gtest.h>
#include <unistd.h>

#include <random>

#include "core/media/writer.h"
#include "tests/widgets/gui_wait.h"
#include "widgets/video_grid/player.h"
#include "widgets/video_grid/video_grid.h"

namespace reelgrid::widgets {
namespace {

constexpr int kBits = 8;
constexpr int kBarWidth = 16;
constexpr int kWidth = kBits * kBarWidth;
constexpr int kHeight = 64;

media::RgbVideo barCoded(int fps, int frames) {
    media::RgbVideo video;
    video.width = kWidth;
    video.height = kHeight;
    video.fps = {fps, 1};
    for (int frame = 0; frame < frames; ++frame)
        for (int y = 0; y < kHeight; ++y)
            for (int x = 0; x < kWidth; ++x)
                video.pixels.insert(video.pixels.end(), 3, frame >> (x / kBarWidth) & 1 ? 235 : 20);
    return video;
}

int readBarCode(const QImage& image, const PixelRect& picture) {
    int number = 0;
    for (int bit = 0; bit < kBits; ++bit) {
        const int x = picture.x + (2 * bit + 1) * picture.width / (2 * kBits);
        if (qGray(image.pixel(x, picture.y + picture.height * 3 / 4)) > 128) number |= 1 << bit;
    }
    return number;
}

class SynchronyTest : public testing::TestWithParam<SurfaceKind> {
  protected:
    void SetUp() override {
        if (GetParam() == SurfaceKind::OpenGl && availableSurface() != SurfaceKind::OpenGl)
            GTEST_SKIP() << "this platform has no OpenGL 3.3";
        std::filesystem::create_directories(m_folder);
        for (std::size_t i = 0; i < m_rates.size(); ++i) {
            const auto path = m_folder / (std::to_string(m_rates[i]) + ".mp4");
            ASSERT_TRUE(media::writeClip(path, barCoded(m_rates[i], m_counts[i])));
        }
    }
    void TearDown() override { std::filesystem::remove_all(m_folder); }

    std::filesystem::path m_folder =
        std::filesystem::path(testing::TempDir()) / ("synchrony_" + std::to_string(getpid()));
    const std::vector<int> m_rates{8, 16, 24, 30};
    const std::vector<int> m_counts{17, 33, 49, 45};  // the last is shorter: it holds its last frame
};

TEST_P(SynchronyTest, EveryTileShowsTheFrameOfTheMoment) {
    VideoGrid grid(GetParam());
    grid.resize(640, 400);
    grid.setTiles(std::vector<GridTile>(4));
    grid.show();
    Player player([](const std::filesystem::path& path) { return media::Clip::open(path); });
    player.setCacheBytes(4 * 6 * kWidth * kHeight * 3 / 2);  // six frames a clip, so that seeks must decode
    for (int rate : m_rates) player.addClip(m_folder / (std::to_string(rate) + ".mp4"));
    QObject::connect(&player, &Player::composed, [&](const Composition& composition) {
        std::vector<TilePicture> pictures;
        for (const ComposedTile& tile : composition.tiles) pictures.push_back({tile.frame, {}, tile.message});
        grid.present(std::move(pictures));
    });
    ASSERT_TRUE(waitUntil([&] { return player.clock().timeline().duration() > 2.1 && !player.waiting(); }));

    std::mt19937 random(3);
    for (int trial = 0; trial < 120; ++trial) {
        if (trial % 3 == 0)
            player.seek(double(random() % 2200) / 1000.0);
        else
            player.step(int(random() % 7) - 3);
        ASSERT_TRUE(waitUntil([&] { return !player.waiting(); }));
        const double seconds = player.composition().seconds;
        const QImage shown = grid.snapshot();
        const auto placed = grid.scene().place(shown.size(), 1);
        ASSERT_EQ(placed.size(), 4U);
        for (std::size_t i = 0; i < 4; ++i) {
            const int due = std::min(int(seconds * m_rates[i] + 1e-6), m_counts[i] - 1);
            ASSERT_EQ(readBarCode(shown, placed[i].picture), due)
                << m_rates[i] << " fps at " << seconds << " s, trial " << trial;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Surfaces, SynchronyTest, testing::Values(SurfaceKind::OpenGl, SurfaceKind::Raster),
                         [](const auto& param) {
                             return param.param == SurfaceKind::OpenGl ? "OpenGl" : "Raster";
                         });

}  // namespace
}  // namespace reelgrid::widgets
