#include <algorithm>
#include <string>

#include "core/base/result.h"
#include "core/media/clip.h"
#include "core/media/image.h"
#include "tests/fuzz/scratch_folder.h"
#include "tests/fuzz/target.h"
#include "tests/fuzz/targets/targets.h"

namespace reelgrid::fuzz {

void readClip(std::string_view bytes) {
    const auto clip = *media::Clip::open(scratchFile("clip.mp4", bytes));
    const media::ClipInfo& info = clip->info();
    promise(std::ranges::is_sorted(info.frameSeconds), "frames aren't in the order of their times");
    const int last = info.frameCount() - 1;
    for (const int frame : {0, 1, last, 0})
        if (frame <= last && frame >= 0) clip->frame(frame).value();
}

void readPicture(std::string_view bytes) {
    const auto image = *media::readImage(scratchFile("picture.png", bytes));
    promise(image.pixels.size() == std::size_t(image.width) * std::size_t(image.height) * 3,
            "a picture has another number of pixels than it says");
}

}  // namespace reelgrid::fuzz
