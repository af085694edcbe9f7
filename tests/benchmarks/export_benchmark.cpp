// What File › Export grid and Export what is seen take, in turns with the ffmpeg program's xstack of the same
// clips with the same encoder settings.
//
//     build/release/bin/reelgrid_export_benchmark [FOLDER [ROUNDS]]
//
// The clips are those of the playback benchmark, made where they are not there.

#include <sys/resource.h>

#include <QElapsedTimer>
#include <QGuiApplication>
#include <cstdio>
#include <functional>
#include <sstream>

#include "app/studio/view_export.h"
#include "core/media/containers.h"
#include "core/media/stitch.h"
#include "tests/benchmarks/nine_clips.h"

namespace reelgrid::benchmarks {
namespace {

namespace fs = std::filesystem;

constexpr int kColumns = 3;

struct Cost {
    std::vector<double> seconds, processor;
};

double processorSeconds() {
    double sum = 0;
    for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
        rusage usage{};
        getrusage(who, &usage);
        for (const timeval& part : {usage.ru_utime, usage.ru_stime})
            sum += double(part.tv_sec) + double(part.tv_usec) * 1e-6;
    }
    return sum;
}

bool add(Cost& cost, const std::function<bool()>& work) {
    const double processor = processorSeconds();
    QElapsedTimer timer;
    timer.start();
    if (!work()) return false;
    cost.seconds.push_back(double(timer.nsecsElapsed()) * 1e-9);
    cost.processor.push_back(processorSeconds() - processor);
    return true;
}

/// The nine clips at this size, edge to edge, by the ffmpeg program.
bool bareXstack(const fs::path& folder, int width, int height, const fs::path& output) {
    std::ostringstream command, scaled, inputs, layout;
    command << "ffmpeg -v error -y";
    const bool asItIs = width == 832 && height == 480;
    for (int i = 0; i < kClips; ++i) {
        command << " -i '" << clipAt(folder, i).string() << "'";
        if (!asItIs) scaled << '[' << i << ":v]scale=" << width << ':' << height << "[s" << i << "];";
        inputs << (asItIs ? "[" : "[s") << i << (asItIs ? ":v]" : "]");
        layout << (i > 0 ? "|" : "") << i % kColumns * width << '_' << i / kColumns * height;
    }
    command << " -filter_complex '" << scaled.str() << inputs.str()
            << "xstack=inputs=9:layout=" << layout.str()
            << "[v]' -map '[v]'"
            // As containers.cpp has them; a key frame every two seconds.
            << " -c:v libx264 -preset fast -crf 17 -x264-params mbtree=0 -g 48 -pix_fmt yuv420p"
            << " -movflags +faststart '" << output.string() << "'";
    return std::system(command.str().c_str()) == 0;
}

bool stitched(const fs::path& folder, int fontSize, const fs::path& output) {
    std::vector<media::LabelledClip> clips;
    for (int i = 0; i < kClips; ++i) clips.push_back({clipAt(folder, i), "clip " + std::to_string(i)});
    return bool(media::stitch(clips, output, {.columns = kColumns, .fontSize = fontSize}));
}

bool seen(const fs::path& folder, const QSize& pixels, const fs::path& output) {
    studio::SeenView view;
    for (int i = 0; i < kClips; ++i) {
        view.clips.push_back({clipAt(folder, i), {}});
        widgets::GridScene::Tile tile;
        tile.what.id = i;
        tile.what.label = "clip " + QString::number(i);
        view.scene.tiles.push_back(tile);
    }
    view.scene.look.columns = kColumns;
    view.pixels = pixels;
    return bool(studio::exportView(view, output, {}, {}));
}

void print(const char* what, const Cost& own, const Cost& bare) {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < own.seconds.size(); ++i) ratios.push_back(own.seconds[i] / bare.seconds[i]);
    std::printf(
        "%-34s %6.2f s, xstack %6.2f s: ratio p50 %.3f, least %.3f, most %.3f; processor time %.2f and %.2f "
        "s\n",
        what, percentile(own.seconds, 0.5), percentile(bare.seconds, 0.5), percentile(ratios, 0.5),
        percentile(ratios, 0), percentile(ratios, 1), percentile(own.processor, 0.5),
        percentile(bare.processor, 0.5));
    std::fflush(stdout);
}

int run(const fs::path& folder, int rounds) {
    if (!makeClips(folder)) {
        std::fprintf(stderr, "the clips can't be made in %s: the ffmpeg program with libx264 was needed\n",
                     folder.c_str());
        return 1;
    }
    const QSize onScreen(1200, 692);
    const int width = 400, height = 230;  // cells of that, even
    Cost grid, plain, bare, view, bareView;
    for (int round = 0; round < rounds; ++round) {
        const bool all =
            add(grid, [&] { return stitched(folder, 36, folder / "grid.mp4"); }) &&
            add(bare, [&] { return bareXstack(folder, 832, 480, folder / "bare.mp4"); }) &&
            add(plain, [&] { return stitched(folder, 0, folder / "plain.mp4"); }) &&
            add(view, [&] { return seen(folder, onScreen, folder / "seen.mp4"); }) &&
            add(bareView, [&] { return bareXstack(folder, width, height, folder / "bare-seen.mp4"); });
        if (!all) {
            std::fprintf(stderr, "a grid could not be written in %s\n", folder.c_str());
            return 1;
        }
    }
    print("export grid, labels", grid, bare);
    print("export grid, no labels", plain, bare);
    print("export what is seen, 1200x692", view, bareView);
    return 0;
}

}  // namespace
}  // namespace reelgrid::benchmarks

int main(int argc, char** argv) {
    // Labels are drawn by Qt: offscreen will do.
    const QGuiApplication application(argc, argv);
    return reelgrid::benchmarks::run(
        argc > 1 ? argv[1] : std::filesystem::temp_directory_path() / "reelgrid-playback-benchmark",
        argc > 2 ? std::max(1, std::atoi(argv[2])) : 5);
}
