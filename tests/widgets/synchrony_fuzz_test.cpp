// Ten thousand composed grids of clips whose frames carry their number, read back from the screen.

#include <gtest/gtest.h>

#include <QElapsedTimer>
#include <array>
#include <cmath>
#include <optional>
#include <random>

#include "tests/media/barcode.h"
#include "tests/widgets/gui_wait.h"
#include "widgets/video_grid/player.h"
#include "widgets/video_grid/video_grid.h"

namespace reelgrid::widgets {
namespace {

using media::test::encodeBarcodes;
using media::test::ScratchFolder;

constexpr int kWidth = 96;
constexpr int kHeight = 64;
constexpr int kWantedGrids = 10000;

struct CodedClip {
    const char* name;
    double fps;  // 0: frame n at n·40 ms + 20 ms for every odd n
    int frames;
    [[nodiscard]] double dueAt(int frame) const {
        return fps > 0 ? frame / fps : 0.04 * frame + 0.02 * (frame % 2);
    }
};
// Several share a rate, so that up to nine tiles have one each; the last of a rate is the shorter one.
constexpr std::array kClips{
    CodedClip{"8.mp4", 8, 17},         CodedClip{"16.mp4", 16, 33},      CodedClip{"24.mp4", 24, 49},
    CodedClip{"30.mp4", 30, 61},       CodedClip{"vfr.mp4", 0, 50},      CodedClip{"8-short.mp4", 8, 9},
    CodedClip{"24-short.mp4", 24, 21}, CodedClip{"16-long.mp4", 16, 41}, CodedClip{"30-short.mp4", 30, 40}};

/// The rule, written down once more: which frame a clip shows.
int dueFrame(const CodedClip& clip, double seconds, const session::ClipOffset& offset, double indexRate,
             double ownRate) {
    int frame = 0;
    if (indexRate > 0) {
        frame = int(std::floor(seconds * indexRate + 1e-6)) + int(std::lround(offset.seconds * ownRate));
    } else if (clip.fps > 0) {
        frame = int(std::floor((seconds + offset.seconds) * clip.fps + 2e-6));
    } else {
        while (frame + 1 < clip.frames && clip.dueAt(frame + 1) <= seconds + offset.seconds + 1e-6) ++frame;
    }
    return std::clamp(frame + offset.frames, 0, clip.frames - 1);
}

std::optional<int> readBarcode(const QImage& image, const PixelRect& picture) {
    int number = 0;
    for (int bit = 0; bit < 12; ++bit) {
        const int x = picture.x + (2 * (bit % 6) + 1) * picture.width / 12;
        const int y = picture.y + (2 * (bit / 6) + 1) * picture.height / 4;
        const int gray = qGray(image.pixel(x, y));
        if (gray > 100 && gray < 150) return std::nullopt;
        if (gray >= 150) number |= 1 << bit;
    }
    return number;
}

class SynchronyFuzz : public testing::Test {
  protected:
    static void SetUpTestSuite() {
        s_folder = std::make_unique<ScratchFolder>();
        for (const CodedClip& clip : kClips) {
            const std::string encoder = "-c:v libx264 -g 15 -bf 2 -pix_fmt yuv420p ";
            const bool made =
                clip.fps > 0
                    ? encodeBarcodes(*s_folder / clip.name, clip.frames, kWidth, kHeight,
                                     std::to_string(int(clip.fps)), encoder)
                    : encodeBarcodes(*s_folder / clip.name, clip.frames, kWidth, kHeight, "25",
                                     "-vf \"settb=1/1000,setpts=N*40+mod(N\\,2)*20\" -vsync passthrough "
                                     "-enc_time_base 1:1000 -video_track_timescale 1000 " +
                                         encoder + "-bsf:v setts=pts=PTS:dts=DTS:duration=20");
            ASSERT_TRUE(made) << clip.name;
        }
    }
    static void TearDownTestSuite() { s_folder.reset(); }

    /// A window with `count` of the clips, and what every composed grid of it must show.
    class Watched {
      public:
        Watched(int count, std::mt19937& random)
            : m_grid(availableSurface()), m_player([](const auto& path) { return media::Clip::open(path); }) {
            m_grid.resize(480, 330);
            m_grid.setTiles(std::vector<GridTile>(std::size_t(count)));
            m_grid.show();
            // Half of them have room for eight frames a clip, so that most of what is asked for is decoded.
            if (random() % 2 == 0) m_player.setCacheBytes(std::size_t(count) * 8 * kWidth * kHeight * 3 / 2);
            std::vector<int> order(kClips.size());
            for (std::size_t i = 0; i < order.size(); ++i) order[i] = int(i);
            std::shuffle(order.begin(), order.end(), random);
            for (int i = 0; i < count; ++i) {
                m_clips.push_back(&kClips[std::size_t(order[std::size_t(i)])]);
                m_ids.push_back(m_player.addClip(*s_folder / m_clips.back()->name));
            }
            m_offsets.resize(std::size_t(count));
            QObject::connect(&m_player, &Player::composed,
                             [this](const Composition& shown) { check(shown); });
        }
        [[nodiscard]] bool opened() {
            return waitUntil([this] {
                return std::ranges::all_of(m_ids, [this](int id) { return m_player.info(id) != nullptr; }) &&
                       !m_player.waiting();
            });
        }
        void act(std::mt19937& random) {
            const auto below = [&random](int limit) { return int(random() % unsigned(limit)); };
            const double length = m_player.clock().timeline().duration();
            switch (below(9)) {
                case 0:
                    m_player.seek(length * below(1000) / 1000);
                    break;
                case 1:
                    m_player.seekToStop(below(2) == 0 ? 0 : m_player.clock().timeline().stopCount() - 1);
                    break;
                case 2:
                    m_player.step(below(2) == 0 ? 10 : -10);
                    break;
                case 3: {
                    const int tile = below(int(m_ids.size()));
                    session::ClipOffset& offset = m_offsets[std::size_t(tile)];
                    // Shifts by frames are of a rate; a variable one has none.
                    if (m_clips[std::size_t(tile)]->fps > 0 && below(2) == 0)
                        offset.frames = below(13) - 6;
                    else
                        offset.seconds = (below(801) - 400) / 1000.0;
                    m_player.setOffset(m_ids[std::size_t(tile)], offset);
                    break;
                }
                case 4:
                    m_player.setSync(m_player.sync() == session::SyncBy::Time ? session::SyncBy::FrameIndex
                                                                              : session::SyncBy::Time);
                    break;
                case 5:
                    m_player.setRange(length * below(1000) / 1000, length * below(1000) / 1000);
                    break;
                case 6:
                    m_player.setLoop(below(2) == 0 ? LoopMode::Whole : LoopMode::Off);
                    break;
                case 7: {
                    m_player.setSpeed(std::array{0.1, 0.5, 1.0, 2.0, 4.0}[std::size_t(below(5))]);
                    m_player.play();
                    letRun(60);
                    m_player.pause();
                    break;
                }
                default:
                    for (const int by : {1, 1, -1, -1, 1}) m_player.step(by);
            }
            ASSERT_TRUE(waitUntil([this] { return !m_player.waiting(); }));
        }
        void check(const Composition& shown) {
            std::vector<TilePicture> pictures;
            bool whole = true;
            for (const ComposedTile& tile : shown.tiles) {
                whole &= tile.frame != nullptr;
                pictures.push_back({tile.frame, {}, tile.message});
            }
            m_grid.present(std::move(pictures));
            if (!whole || shown.tiles.size() != m_ids.size()) return;
            const QImage screen = m_grid.snapshot();
            const auto placed = m_grid.scene().place(screen.size(), 1);
            double rate = 0;
            if (m_player.sync() == session::SyncBy::FrameIndex)
                rate = m_clips[0]->fps > 0 ? m_clips[0]->fps : m_player.info(m_ids[0])->fps.value();
            ++grids;
            for (std::size_t i = 0; i < m_ids.size(); ++i) {
                const auto dueAt = [&](double seconds) {
                    return dueFrame(*m_clips[i], seconds, m_offsets[i], rate,
                                    m_player.info(m_ids[i])->fps.value());
                };
                const int due = dueAt(shown.seconds);
                const auto read = readBarcode(screen, placed[i].picture);
                // Playing is paused anywhere; within a microsecond of a frame's begin either is right.
                if (read == due || read == dueAt(shown.seconds - 2e-6) || read == dueAt(shown.seconds + 2e-6))
                    continue;
                ++wrongTiles;
                ADD_FAILURE() << m_clips[i]->name << " shows " << read.value_or(-1) << ", due was " << due
                              << " at " << shown.seconds << " s, shifted by " << m_offsets[i].seconds
                              << " s and " << m_offsets[i].frames << " frames, rate " << rate;
            }
        }

        int grids = 0;
        int wrongTiles = 0;

      private:
        VideoGrid m_grid;
        Player m_player;
        std::vector<const CodedClip*> m_clips;
        std::vector<int> m_ids;
        std::vector<session::ClipOffset> m_offsets;
    };

    static std::unique_ptr<ScratchFolder> s_folder;
};
std::unique_ptr<ScratchFolder> SynchronyFuzz::s_folder;

TEST_F(SynchronyFuzz, TenThousandGridsShowNoWrongTile) {
    std::mt19937 random(20);
    int grids = 0;
    for (int round = 0; grids < kWantedGrids; ++round) {
        const int count = 2 + round % 8;
        Watched window(count, random);
        ASSERT_TRUE(window.opened());
        const int wanted = std::min(kWantedGrids, grids + kWantedGrids / 16) - grids;
        while (window.grids < wanted) {
            window.act(random);
            if (HasFatalFailure() || window.wrongTiles > 20) return;
        }
        grids += window.grids;
    }
    RecordProperty("grids", grids);
}

TEST_F(SynchronyFuzz, AThousandLoopsOfARangeDriftByNothing) {
    Player player([](const auto& path) { return media::Clip::open(path); });
    player.addClip(*s_folder / "30.mp4");
    player.addClip(*s_folder / "24.mp4");
    ASSERT_TRUE(waitUntil([&] { return player.clock().timeline().duration() > 2 && !player.waiting(); }));
    constexpr double kSpeed = 4;
    player.setSpeed(kSpeed);
    player.setRange(0.5, 0.55);
    player.seek(0.5);
    ASSERT_TRUE(waitUntil([&] { return !player.waiting(); }));
    const PlaybackClock& clock = player.clock();
    const double first = clock.timeline().stop(clock.loopFirstStop());
    const double length = clock.timeline().endOfStop(clock.loopLastStop()) - first;
    player.seek(first);
    constexpr std::size_t kAllFrames = (61 + 49) * std::size_t(kWidth * kHeight * 3 / 2);
    ASSERT_TRUE(waitUntil([&] { return player.cachedBytes() == kAllFrames; }));
    QElapsedTimer timer;
    timer.start();
    player.play();
    const auto played = [&] { return double(timer.nsecsElapsed()) * 1e-9 * kSpeed; };
    const double begun = played();  // at most so far the player is behind the timer
    double worst = 0;
    while (played() < 1000 * length) {
        letRun(25);
        // The position belongs to a moment between two looks at the timer, however long a busy machine takes.
        const double before = played(), position = clock.position() - first, after = played();
        // Of the loops that it may be in, the first at or behind the earlier look, or the one before that.
        const double next = position + std::ceil((before - position) / length) * length;
        worst = std::max(worst, std::min(std::max(next - after, 0.0), before - (next - length)));
        ASSERT_EQ(player.lateTicks(), 0);
    }
    EXPECT_LT(worst, begun + 0.004);
}

}  // namespace
}  // namespace reelgrid::widgets
