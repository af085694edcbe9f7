#include "app/studio/clip_hashes.h"

namespace reelgrid::studio {

result::ComponentHasher& clipHasher() {
    static result::ComponentHasher hasher(result::KeptHashes::ofUser());
    return hasher;
}

}  // namespace reelgrid::studio
