#include <array>

#include "core/families/cogvideox.h"
#include "core/families/family.h"
#include "core/families/wan.h"

namespace reelgrid::families {

std::span<const Family> families() {
    // One line a family.
    static const std::array kFamilies{
        wanFamily(), wanImageFamily(), wanExpertsFamily(), wanImageExpertsFamily(), wanTokenTimesFamily(),
        cogVideoXFamily(), cogVideoXImageFamily(),
    };
    return kFamilies;
}

}  // namespace reelgrid::families
