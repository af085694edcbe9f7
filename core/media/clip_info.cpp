#include <algorithm>

#include "core/base/number_text.h"
#include "core/media/clip.h"

namespace reelgrid::media {
namespace {

std::string unequalFramesText(const ClipInfo& info) {
    constexpr int kDigits = 4;
    const auto milliseconds = [](double seconds) {
        return seconds < 1 ? significant(seconds * 1000, kDigits) : fixed(seconds * 1000, 0);
    };
    const std::string rate = significant(info.fps.value(), kDigits) + " frames/s";
    return "its frames last from " + milliseconds(info.unequal->shortest) + " to " +
           milliseconds(info.unequal->longest) + " ms each; " +
           (info.unequal->isEvened
                ? "they are taken at " + rate
                : "each is shown at its own time, and " + rate + " is taken as their rate");
}

}  // namespace

int ClipInfo::frameAt(double seconds) const {
    // A clock that adds up 1/fps lands a rounding error before i/fps: that is still frame i.
    constexpr double kTolerance = 1e-7;
    const auto next = std::ranges::upper_bound(frameSeconds, seconds + kTolerance);
    return std::max(0, int(next - frameSeconds.begin()) - 1);
}

std::vector<std::string> remarksOn(const ClipInfo& info) {
    std::vector<std::string> remarks;
    if (info.unequal) remarks.push_back(unequalFramesText(info));
    if (info.track.of > 1)
        remarks.push_back("of its " + std::to_string(info.track.of) + " video tracks number " +
                          std::to_string(info.track.number) + " is taken");
    if (info.track.isOblique)
        remarks.push_back("its display matrix is no quarter turn, it is shown by the nearest one");
    const MissingFrames& missing = info.missing;
    if (missing.leftOut > 0)
        remarks.push_back(std::to_string(missing.leftOut) + " of the " +
                          std::to_string(missing.leftOut + info.frameCount()) +
                          " frames that it lists are left out, by its edit list or by damage to its lists");
    if (missing.withoutPicture > 0)
        remarks.push_back((missing.withoutPicture == 1
                               ? std::string("a packet gives")
                               : std::to_string(missing.withoutPicture) + " packets give") +
                          " no picture: it begins within a group of pictures, or is damaged");
    if (missing.behindGaps > 0)
        remarks.push_back("parts of its stream are missing or damaged, in " +
                          std::to_string(missing.behindGaps) +
                          (missing.behindGaps == 1 ? " place" : " places"));
    if (missing.atOneTime > 0)
        remarks.push_back((missing.atOneTime == 1 ? std::string("a packet has the time of another one")
                                                  : std::to_string(missing.atOneTime) +
                                                        " packets have the time of another one") +
                          ": frames may be there twice, or at a wrong time");
    if (missing.saidSeconds > 0)
        remarks.push_back("it says that it lasts " + fixed(missing.saidSeconds, 2) +
                          " s, its frames end at " + fixed(info.durationSeconds, 2) + " s");
    return remarks;
}

}  // namespace reelgrid::media
