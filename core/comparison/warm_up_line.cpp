#include "core/comparison/warm_up_line.h"

#include "core/base/number_text.h"
#include "core/result/warm_up.h"

namespace reelgrid::comparison {

std::string warmUpLine(const std::vector<Entry>& entries) {
    std::string names;
    for (const Entry& entry : entries) {
        const result::Timing* timing = entry.error ? nullptr : entry.result.timing();
        const double seconds = timing == nullptr ? 0 : result::warmUpSeconds(*timing);
        if (seconds > 0)
            names += (names.empty() ? "" : ", ") + entry.caption.name + " (" + fixed(seconds, 2) + " s)";
    }
    if (names.empty()) return {};
    return "the first denoising steps took longer than later ones, as libraries start and kernels are "
           "compiled or tuned, in " +
           names +
           ": ratios of denoising leave that out, times don't; --num-repetitions 2 renders without it";
}

}  // namespace reelgrid::comparison
