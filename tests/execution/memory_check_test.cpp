#include "core/execution/memory_check.h"

#include <gmock/gmock.h>

#include "core/base/result.h"

namespace reelgrid::execution {
namespace {

TEST(MemoryCheck, LetsASmallRenderPassAndNamesOneThatCannotFit) {
    EXPECT_NO_THROW(requireMemory({}, 1, 0, "1×1, 1 frames", "less"));
    try {
        requireMemory({}, std::uint64_t{1} << 62, 0, "16384×16384, 4093 frames", "fewer frames");
        FAIL() << "4 EB were promised";
    } catch (const Failure& failure) {
        EXPECT_EQ(failure.error().code, ErrorCode::OutOfMemory);
        EXPECT_THAT(failure.error().message, testing::StartsWith("16384×16384, 4093 frames needs about"));
        EXPECT_THAT(failure.error().message, testing::EndsWith("; less is taken by fewer frames"));
    }
}

}  // namespace
}  // namespace reelgrid::execution
