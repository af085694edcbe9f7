// Whether clips with kept frames play without a late frame, in the real window, and what that takes.
//
//     xvfb-run -a -s "-screen 0 1600x1000x24" build/release/bin/reelgrid_lossless_playback_benchmark [FOLDER
//     [nine|four]]
//
// nine: nine of 832×480, 81 frames at 16 a second; four: four of 1280×720, likewise. The clips and their
// frames without loss are made with the ffmpeg program, once, in FOLDER (default: a folder of its own in
// /tmp).

#include <QApplication>
#include <QElapsedTimer>
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <thread>

#include "app/studio/main_window.h"
#include "core/base/sha256.h"
#include "core/result/pending_result.h"
#include "tests/benchmarks/nine_clips.h"
#include "tests/widgets/gui_wait.h"
#include "widgets/theme/theme.h"

namespace reelgrid {
namespace {

namespace fs = std::filesystem;
using benchmarks::memoryOf;

constexpr int kFrames = 81, kRate = 16, kLoops = 6;

struct Part {
    const char* name;
    int clips, width, height;
};
constexpr Part kParts[] = {{"nine", 9, 832, 480}, {"four", 4, 1280, 720}};

bool isExact(const media::FramePtr& frame) {
    return frame != nullptr && frame->color.matrix == media::ColorMatrix::Rgb;
}

/// A clip as a render leaves it: the encoded one, its frames beside it, and a manifest with both hashes.
bool makeClip(const fs::path& clip, const Part& part, int hue) {
    if (fs::exists(clip)) return true;
    auto pending = result::PendingResult::create(clip);
    if (!pending) return false;
    const std::string source = "ffmpeg -v error -y -f lavfi -i testsrc2=s=" + std::to_string(part.width) +
                               "x" + std::to_string(part.height) + ":r=" + std::to_string(kRate) +
                               ":d=6,noise=alls=3:allf=t,hue=h=" + std::to_string(hue) + " -frames:v " +
                               std::to_string(kFrames);
    const std::string frames = source +
                               " -c:v ffv1 -level 3 -coder 0 -slices 12 -slicecrc 1 -g 1 -pix_fmt gbrp '" +
                               pending->frames().string() + "'";
    const std::string encoded =
        source + " -c:v libx264 -crf 17 -pix_fmt yuv420p '" + pending->clip().string() + "'";
    if (std::system(frames.c_str()) != 0 || std::system(encoded.c_str()) != 0) return false;
    std::ofstream(pending->latents()) << "none";
    result::Manifest manifest;
    manifest.keptFrames =
        result::KeptFrames{fs::file_size(pending->frames()), sha256OfFile(pending->frames()).value()};
    return pending->commit(manifest, {}, {}).ok();
}

/// How many tiles show their kept frames now, and how many frames of the loop were shown so.
struct Shown {
    int frames = 0, exact = 0;
};

void playLoop(widgets::Player& player, int loop) {
    Shown shown;
    const auto connection =
        QObject::connect(&player, &widgets::Player::composed, [&](const widgets::Composition& composition) {
            for (const widgets::ComposedTile& tile : composition.tiles) {
                ++shown.frames;
                shown.exact += isExact(tile.frame);
            }
        });
    player.seek(0);
    player.play();
    const double cpuBefore = double(std::clock()) / CLOCKS_PER_SEC;
    letRun(int(1000.0 * kFrames / kRate));
    const double cpu = double(std::clock()) / CLOCKS_PER_SEC - cpuBefore;
    player.pause();
    QObject::disconnect(connection);
    std::printf(
        "loop %d: %d late, %d left out of %d; %.0f %% of the pictures without loss; %.1f s of processor "
        "time in %.1f s\n",
        loop, player.lateTicks(), player.skippedStops(), kFrames,
        shown.frames > 0 ? 100.0 * shown.exact / shown.frames : 0, cpu, double(kFrames) / kRate);
    std::fflush(stdout);
}

int run(const fs::path& folder, const Part& part) {
    fs::create_directories(folder);
    std::vector<fs::path> clips;
    for (int i = 0; i < part.clips; ++i) {
        clips.push_back(folder / (std::string(part.name) + "_" + std::to_string(i) + ".mp4"));
        if (makeClip(clips.back(), part, 40 * i)) continue;
        std::fprintf(stderr, "%s can't be made: the ffmpeg program with libx264 was needed\n",
                     clips.back().c_str());
        return 1;
    }
    studio::MainWindow window;
    window.resize(1600, 1000);
    window.show();
    letRun(1000);
    std::printf("%u cores, %d clips of %d×%d; %.0f MB resident without them\n",
                std::thread::hardware_concurrency(), part.clips, part.width, part.height,
                memoryOf("self", "VmRSS:"));
    window.sessions().open(clips);
    widgets::Player& player = *window.playback().player();
    const auto isThere = [&] {
        const auto& tiles = player.composition().tiles;
        return int(tiles.size()) == part.clips &&
               std::ranges::all_of(tiles, [](const auto& tile) { return tile.frame != nullptr; });
    };
    if (!waitUntil(isThere, 60000)) {
        std::fprintf(stderr, "the clips did not come on screen\n");
        return 1;
    }
    for (int loop = 1; loop <= kLoops; ++loop) playLoop(player, loop);
    std::printf("frames %.0f of at most %.0f MB; resident %.0f MB, at most %.0f\n",
                double(player.cachedBytes()) / (1 << 20), double(player.cacheBytes()) / (1 << 20),
                memoryOf("self", "VmRSS:"), memoryOf("self", "VmHWM:"));
    return 0;
}

}  // namespace
}  // namespace reelgrid

int main(int argc, char** argv) {
    QApplication application(argc, argv);
    reelgrid::widgets::applyTheme(application);
    const std::filesystem::path folder =
        argc > 1 ? argv[1] : std::filesystem::temp_directory_path() / "reelgrid-lossless-benchmark";
    const std::string wanted = argc > 2 ? argv[2] : "nine";
    for (const auto& part : reelgrid::kParts)
        if (wanted == part.name) return reelgrid::run(folder, part);
    std::fprintf(stderr, "%s: nine or four was needed\n", wanted.c_str());
    return 2;
}
