#include "core/benchmark/attention_shape.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reelgrid::benchmark {
namespace {

using kernels::DataType;
using kernels::Mask;

TEST(AttentionShape, ReadsFourOrFiveExtents) {
    const auto square = parseShape("2,3,40,64");
    ASSERT_TRUE(square);
    EXPECT_EQ(square->batch, 2);
    EXPECT_EQ(square->heads, 3);
    EXPECT_EQ(square->queries, 40);
    EXPECT_EQ(square->headDim, 64);
    EXPECT_EQ(square->keys, 40);
    const auto cross = parseShape("1,12,32760,128,512");
    ASSERT_TRUE(cross);
    EXPECT_EQ(cross->keys, 512);
    for (const char* text : {"2,3,40,64", "1,12,32760,128,512"}) EXPECT_EQ(textOf(*parseShape(text)), text);
    EXPECT_EQ(textOf(*parseShape("1,1,7,64,7")), "1,1,7,64");
}

TEST(AttentionShape, ReadsSharedKeyHeads) {
    const auto shape = parseShape("1,8/2,40,64,30");
    ASSERT_TRUE(shape);
    EXPECT_EQ(shape->heads, 8);
    EXPECT_EQ(shape->keyHeads, 2);
    EXPECT_EQ(shape->keys, 30);
    EXPECT_EQ(textOf(*shape), "1,8/2,40,64,30");
    EXPECT_EQ(textOf(*parseShape("1,8/8,40,64")), "1,8,40,64");
    EXPECT_EQ(parseShape("1,8,40,64")->keyHeads, 8);
}

TEST(AttentionShape, NamesWhatIsNoShape) {
    for (const char* text :
         {"",          ",",         "1",        "1,2,3",     "1,2,3,4,5,6", "1,2,3,",           "1,2,,4",
          "1,2,3,x",   "0,1,1,1",   "1,-1,1,1", "1,1,1.5,1", "1, 1,1,1",    "1,1,1,2147483648", "1,1,1,1e3",
          "1,8/3,1,1", "1,8/0,1,1", "1,8/,1,1", "1,/2,1,1",  "1,2/4,1,1",   "1/1,8,1,1"}) {
        const auto shape = parseShape(text);
        ASSERT_FALSE(shape) << text;
        EXPECT_EQ(shape.error().code, ErrorCode::BadUsage);
        EXPECT_THAT(shape.error().message, testing::HasSubstr(std::string("--shape ") + text + ":"));
    }
}

TEST(AttentionShape, CountsVisiblePairsAsTheMaskHasThem) {
    for (const std::int64_t queries : {1, 2, 5, 9})
        for (const std::int64_t keys : {1, 2, 5, 9}) {
            std::int64_t causal = 0;
            for (std::int64_t i = 0; i < queries; ++i)
                for (std::int64_t j = 0; j < keys; ++j) causal += j <= i + keys - queries ? 1 : 0;
            const AttentionShape shape{.queries = queries, .keys = keys};
            EXPECT_EQ(visiblePairs(shape, Mask::Causal), causal) << queries << " x " << keys;
            EXPECT_EQ(visiblePairs(shape, Mask::None), queries * keys);
        }
}

TEST(AttentionShape, CountsTwoProductsOfMultiplyAdds) {
    // Wan 2.1 14B at 480p.
    EXPECT_DOUBLE_EQ(operationsOf(*parseShape("1,40,32760,128"), Mask::None), 4.0 * 40 * 32760 * 32760 * 128);
    EXPECT_DOUBLE_EQ(operationsOf(*parseShape("2,3,100,64,10"), Mask::None), 4.0 * 6 * 100 * 10 * 64);
    EXPECT_DOUBLE_EQ(operationsOf(*parseShape("1,1,100,64"), Mask::Causal), 4.0 * 64 * (100 * 101 / 2));
    // Every query head has its products, whoever's keys they are with.
    EXPECT_DOUBLE_EQ(operationsOf(*parseShape("1,8/2,100,64"), Mask::None), 4.0 * 8 * 100 * 100 * 64);
}

ElementBytes bytesIn(const char* backend, DataType type) {
    return elementBytesOf(*kernels::findBackend(backend), type);
}

TEST(AttentionShape, CountsBytesOfInputsAndOutputOnce) {
    EXPECT_EQ(bytesOf(*parseShape("1,2,100,64"), bytesIn("sdpa", DataType::BFloat16)), 4 * 2 * 100 * 64 * 2);
    EXPECT_EQ(bytesOf(*parseShape("1,2,100,64,30"), bytesIn("fav2", DataType::Float32)),
              2 * (2 * 100 * 64 + 2 * 30 * 64) * 4);
    // 8 query heads, 2 key heads.
    EXPECT_EQ(bytesOf(*parseShape("1,8/2,100,64"), bytesIn("fav3", DataType::Float16)),
              2 * 8 * 100 * 64 * 2 + 2 * 2 * 100 * 64 * 2);
}

TEST(AttentionShape, CountsQuantisedOperandsAsBytes) {
    const AttentionShape shape = *parseShape("1,1,100,64,30");
    const std::int64_t q = 100 * 64, k = 30 * 64;
    for (const char* name : {"sagev1", "fav3_sage"})
        EXPECT_EQ(bytesOf(shape, bytesIn(name, DataType::BFloat16)), q + k + 2 * k + 2 * q) << name;
    EXPECT_EQ(bytesOf(shape, bytesIn("fav3_fp8", DataType::BFloat16)), q + k + k + 2 * q);
    EXPECT_EQ(bytesOf(shape, bytesIn("sla", DataType::BFloat16)), 2 * (q + k + k + q));
    EXPECT_EQ(bytesOf(shape, bytesIn("sagev1", DataType::Float32)), q + k + 4 * k + 4 * q);
}

TEST(AttentionShape, OnlyAMaskThatLibtorchLacksTakesMemoryOfTheSquare) {
    const AttentionShape square = *parseShape("1,1,30000,64");
    const AttentionShape oblong = *parseShape("1,1,30000,64,20000");
    const double pairs = 30000.0 * 20000.0;
    EXPECT_LT(memoryToMeasure(square, DataType::BFloat16, Mask::Causal), pairs);
    EXPECT_LT(memoryToMeasure(oblong, DataType::BFloat16, Mask::None), pairs);
    EXPECT_GT(memoryToMeasure(oblong, DataType::BFloat16, Mask::Causal), pairs);
}

}  // namespace
}  // namespace reelgrid::benchmark
