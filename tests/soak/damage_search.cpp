// Looks for clips that are taken with another number of frames, or with frames in places of others, without a
// word, because they are damaged.
//
//     build/release/bin/reelgrid_damage_search [SECONDS [SEED [FOLDER]]]
//
// ffmpeg makes a clip of each kind below. For SECONDS (60) they are damaged at random, from SEED (the time)
// on: a bit is flipped, a stretch is overwritten or removed. Prints a line for each kind and exits 1 where
// something was found, which is kept in FOLDER (build/damage) beside the whole clip.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <functional>
#include <map>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/pending_file.h"
#include "core/media/clip.h"
#include "core/media/clip_options.h"
#include "tests/media/barcode.h"

namespace reelgrid::media {
namespace {

namespace fs = std::filesystem;

constexpr int kFrames = 30, kWidth = 96, kHeight = 64;

/// Where a file of a format may end without a sign, as docs/guide/studio.md says.
enum class End { Marked, Anywhere };

/// Whether damage to a frame may make it look like another one: those based on others come out as these where
/// the decoder sees no changes.
enum class Frames { Based, Alone };

struct Kind {
    const char* name;  ///< as lines of packaging/test-deep begin
    const char* file;
    const char* options;
    End end = End::Marked;
    Frames frames = Frames::Based;
    const char* copy =
        "";  ///< "BEFORE | AFTER": copied once more, by these options before and behind the input
};

constexpr std::array kKinds{
    Kind{"mp_four", "a.mp4", "-c:v libx264 -pix_fmt yuv420p -g 12 -bf 2"},
    Kind{"mp_four_fragmented", "b.mp4",
         "-c:v libx264 -pix_fmt yuv420p -g 6 -movflags +frag_keyframe+empty_moov"},
    Kind{"mp_four_dash", "c.mp4", "-c:v libx264 -pix_fmt yuv420p -g 6 -movflags +dash+global_sidx"},
    Kind{"quicktime", "a.mov", "-c:v mjpeg", End::Marked, Frames::Alone},
    Kind{"quicktime_prores", "b.mov", "-c:v prores_ks", End::Marked, Frames::Alone},
    Kind{"matroska", "a.mkv", "-c:v ffv1 -level 3 -g 1 -slicecrc 1", End::Marked, Frames::Alone},
    Kind{"matroska_clusters", "b.mkv", "-c:v libx264 -pix_fmt yuv420p -g 6 -cluster_time_limit 200"},
    Kind{"webm", "a.webm", "-c:v libvpx-vp9 -g 12 -cpu-used 8"},
    Kind{"avi", "a.avi", "-c:v mjpeg", End::Marked, Frames::Alone},
    Kind{"avi_deltas", "b.avi", "-c:v mpeg4 -g 12"},
    Kind{"gif", "a.gif", ""},
    Kind{"apng", "a.apng", "-plays 0", End::Marked, Frames::Alone},
    Kind{"ogg", "a.ogv", "-c:v libtheora -g 12"},
    Kind{"asf", "a.wmv", "-c:v wmv2 -g 12"},
    Kind{"mxf", "a.mxf", "-c:v mpeg2video -g 12 -r 25"},
    Kind{"flv", "a.flv", "-c:v libx264 -pix_fmt yuv420p -g 12 -bf 0"},
    Kind{"ts", "a.ts", "-c:v libx264 -pix_fmt yuv420p -g 12 -bf 0", End::Anywhere},
    Kind{"ps", "a.mpg", "-c:v mpeg2video -g 12 -r 25", End::Anywhere},
    Kind{"nut", "a.nut", "-c:v ffv1 -g 12", End::Anywhere},
    Kind{"ivf", "a.ivf", "-c:v libvpx -g 12", End::Anywhere},
    Kind{"motion_jpeg", "a.mjpeg", "-c:v mjpeg", End::Anywhere},
    Kind{"mp_four_sound", "d.mp4",
         "-f lavfi -t 1.2 -i sine -c:v libx264 -pix_fmt yuv420p -g 12 -bf 2 -c:a aac"},
    Kind{"mp_four_fragmented_sound", "e.mp4",
         "-f lavfi -t 1.2 -i sine -c:v libx264 -pix_fmt yuv420p -g 12 -bf 2 -c:a aac "
         "-movflags +frag_keyframe+empty_moov"},
    Kind{"matroska_sound", "c.mkv",
         "-f lavfi -t 1.2 -i sine -c:v libx264 -pix_fmt yuv420p -g 12 -bf 2 -c:a aac"},
    Kind{"webm_sound", "b.webm", "-f lavfi -t 1.2 -i sine -c:v libvpx -g 12 -c:a libopus"},
    Kind{"avi_sound", "c.avi", "-f lavfi -t 1.2 -i sine -c:v mjpeg -c:a pcm_s16le", End::Marked,
         Frames::Alone},
    Kind{"flv_sound", "b.flv", "-f lavfi -t 1.2 -i sine -c:v flv1 -g 12 -c:a libmp3lame"},
    Kind{"ts_sound", "b.ts", "-f lavfi -t 1.2 -i sine -c:v mpeg2video -g 12 -r 25 -c:a mp2", End::Anywhere},
    Kind{"nal_units", "a.h264", "-c:v libx264 -pix_fmt yuv420p -g 12 -bf 0", End::Anywhere},
    Kind{"mp_four_cut", "f.mp4", "-c:v libx264 -pix_fmt yuv420p -g 30 -bf 2", End::Marked, Frames::Based,
         "-ss 0.4 |"},
    Kind{"avi_pipe", "d.avi", "-c:v mjpeg", End::Marked, Frames::Alone, "| -f avi - | cat >"},
    Kind{"mxf_pipe", "b.mxf", "-c:v mpeg2video -g 1 -r 25", End::Anywhere, Frames::Based,
         "| -f mxf - | cat >"},
};

/// What came of a file.
struct Shown {
    std::string words;  ///< why it was refused, or what was remarked; also frames that can't be decoded
    std::vector<std::size_t> pictures;  ///< hashes of its frames' luma
    std::vector<double> seconds;
    bool isRefused = false;
    [[nodiscard]] int frames() const { return int(seconds.size()); }
};

Shown show(const fs::path& file) {
    const auto clip = openClip(file, {.threads = 1, .cacheBytes = 0});
    Shown shown;
    shown.isRefused = !clip;
    if (!clip) shown.words = clip.error().message;
    if (!clip) return shown;
    shown.seconds = (*clip)->info().frameSeconds;
    for (const std::string& remark : remarksOn((*clip)->info())) shown.words += remark + "; ";
    for (int i = 0; i < shown.frames(); ++i) {
        const auto frame = (*clip)->frame(i);
        if (!frame) shown.words += frame.error().message + "; ";
        if (!frame) continue;
        const std::vector<std::uint8_t>& luma = (*frame)->y.bytes;
        shown.pictures.push_back(
            std::hash<std::string_view>()({reinterpret_cast<const char*>(luma.data()), luma.size()}));
    }
    return shown;
}

/// Of clips that are taken and of which nothing is said: Silent and Misplaced are faults. Decoders make other
/// pictures of damage that they don't notice, and times may be any.
enum class Verdict { Refused, Said, Same, Cut, Changed, Retimed, Misplaced, Silent };
constexpr std::array kVerdicts{"refused",          "said",        "as before", "cut",
                               "changed pictures", "other times", "misplaced", "silent"};

bool isFault(Verdict verdict) {
    return verdict == Verdict::Misplaced || verdict == Verdict::Silent;
}

Verdict verdictOf(const Shown& shown, const Shown& whole, const Kind& kind) {
    if (shown.isRefused) return Verdict::Refused;
    if (shown.words != whole.words) return Verdict::Said;
    const bool isCut = shown.frames() < whole.frames() && kind.end == End::Anywhere;
    if (shown.frames() != whole.frames() && !isCut) return Verdict::Silent;
    // The first one is black, which damage to any of them may give.
    const std::span others = std::span(whole.pictures).subspan(1);
    for (std::size_t i = 0; i < shown.pictures.size() && kind.frames == Frames::Alone; ++i)
        if (shown.pictures[i] != whole.pictures[i] && std::ranges::count(others, shown.pictures[i]) > 0)
            return Verdict::Misplaced;
    if (isCut) return Verdict::Cut;
    if (shown.pictures != whole.pictures) return Verdict::Changed;
    return shown.seconds == whole.seconds ? Verdict::Same : Verdict::Retimed;
}

class Damage {
  public:
    explicit Damage(unsigned seed) : m_random(seed) {}

    std::string to(std::string bytes) {
        constexpr std::size_t kHead = 4096, kSector = 512, kLeastParts = 4;
        constexpr std::array<std::size_t, 6> kSizes{16, 64, 512, 4096, 16384, 65536};
        const std::size_t place = below(bytes.size());
        const std::size_t size = std::min(kSizes[below(kSizes.size())], bytes.size() / kLeastParts);
        const std::size_t begin = size < kSector ? place : place / kSector * kSector;
        const std::size_t count = std::min(size, bytes.size() - begin);
        switch (below(7)) {
            case 0:
            case 1:
            case 2:
                return flipped(std::move(bytes), below(std::min(kHead, bytes.size())));
            case 3:
                return flipped(std::move(bytes), place);
            case 4:
                return bytes.replace(begin, count, count, below(2) == 0 ? '\0' : '\xFF');
            case 5: {
                std::string noise(count, '\0');
                for (char& byte : noise) byte = char(below(256));
                return bytes.replace(begin, count, noise);
            }
            default:
                return bytes.erase(begin, count);
        }
    }

  private:
    std::size_t below(std::size_t most) { return m_random() % most; }
    std::string flipped(std::string bytes, std::size_t place) {
        bytes[place] = char(bytes[place] ^ 1 << below(8));
        return bytes;
    }
    std::mt19937_64 m_random;
};

struct Tally {
    std::map<Verdict, int> runs;
    Shown whole;
    std::string bytes;
};

/// Whether the clip could be made.
bool make(const fs::path& file, const Kind& kind) {
    if (!test::encodeBarcodes(file, kFrames, kWidth, kHeight, "25", kind.options)) return false;
    const std::string_view copy = kind.copy;
    if (copy.empty()) return true;
    const std::size_t bar = copy.find('|');
    const fs::path first = fs::path(file).replace_filename(std::string("first-") + kind.file);
    fs::rename(file, first);
    return test::runs("ffmpeg -y -v error " + std::string(copy.substr(0, bar)) + " -i '" + first.string() +
                      "' -c copy " + std::string(copy.substr(bar + 1)) + " '" + file.string() + "'");
}

int search(double seconds, unsigned seed, const fs::path& folder) {
    const test::ScratchFolder scratch;
    std::vector<Tally> tallies;
    for (const Kind& kind : kKinds) {
        const fs::path file = scratch / kind.file;
        if (!make(file, kind)) return 2;
        tallies.push_back({{}, show(file), readFile(file).value()});
        if (tallies.back().whole.isRefused) {
            std::fprintf(stderr, "%s\n", tallies.back().whole.words.c_str());
            return 2;
        }
    }
    Damage damage(seed);
    int found = 0;
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    for (std::size_t i = 0; std::chrono::steady_clock::now() < end; i = (i + 1) % tallies.size()) {
        Tally& tally = tallies[i];
        const fs::path file = scratch / (std::string("damaged-") + kKinds[i].file);
        const std::string bytes = damage.to(tally.bytes);
        writeFile(file, bytes).value();
        const Shown shown = show(file);
        const Verdict verdict = verdictOf(shown, tally.whole, kKinds[i]);
        ++tally.runs[verdict];
        if (!isFault(verdict)) continue;
        fs::create_directories(folder);
        const fs::path kept = folder / (std::to_string(seed) + "-" + std::to_string(found++) + "-" +
                                        std::string(kKinds[i].file));
        writeFile(kept, bytes).value();
        writeFile(folder / kKinds[i].file, tally.bytes).value();
        if (verdict == Verdict::Misplaced)
            std::printf("FAULT %s: frames in places of others\n", kept.c_str());
        else
            std::printf("FAULT %s: %d frames, not %d\n", kept.c_str(), shown.frames(), tally.whole.frames());
    }
    for (std::size_t i = 0; i < tallies.size(); ++i) {
        int all = 0;
        std::string counts;
        for (const auto& [verdict, runs] : tallies[i].runs) {
            all += runs;
            counts += ", " + std::to_string(runs) + " " + kVerdicts[std::size_t(verdict)];
        }
        std::printf("%-20s %6d runs%s\n", kKinds[i].name, all, counts.c_str());
    }
    std::printf("seed %u\n", seed);
    return found > 0 ? 1 : 0;
}

}  // namespace
}  // namespace reelgrid::media

int main(int count, char** words) {
    const double seconds = count > 1 ? std::atof(words[1]) : 60;
    const unsigned seed = count > 2 ? unsigned(std::atoi(words[2])) : unsigned(std::time(nullptr));
    return reelgrid::media::search(seconds, seed, count > 3 ? words[3] : "build/damage");
}
