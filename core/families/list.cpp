#include <array>

#include "core/families/animatediff/facts.h"
#include "core/families/cogvideox/facts.h"
#include "core/families/family.h"
#include "core/families/sd35/facts.h"
#include "core/families/svd/facts.h"
#include "core/families/wan/facts.h"

namespace reelgrid::families {

std::span<const Family> families() {
    // One line a family.
    static const std::array kFamilies{
        wan::family(), cogvideox::family(), animatediff::family(), sd35::family(), svd::family(),
    };
    return kFamilies;
}

}  // namespace reelgrid::families
