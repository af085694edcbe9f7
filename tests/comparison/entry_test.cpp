#include "core/comparison/entry.h"

#include <gmock/gmock.h>

namespace reelgrid::comparison {
namespace {

using testing::ElementsAre;

Entry entryOf(const std::string& backend) {
    Entry entry;
    entry.caption.name = entry.caption.backend = backend;
    return entry;
}

TEST(Order, PutsTheReferenceFirstAndKeepsTheRest) {
    std::vector<std::string> types{"fav2", "sagev1", "sdpa", "sla"};
    putReferenceFirst(types);
    EXPECT_THAT(types, ElementsAre("sdpa", "fav2", "sagev1", "sla"));
}

TEST(Reference, IsTheSdpaClipIfThereIsOne) {
    std::vector<Entry> entries{entryOf("fav2"), entryOf("sdpa")};
    ASSERT_NE(referenceOf(entries), nullptr);
    EXPECT_EQ(referenceOf(entries), &entries[1]);
    entries[1].error = Error{ErrorCode::Cancelled, "cancelled"};
    EXPECT_EQ(referenceOf(entries), nullptr);
}

}  // namespace
}  // namespace reelgrid::comparison
