#include "core/weights/layer_window.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "core/base/result.h"

namespace reelgrid::weights {
namespace {

std::vector<at::Tensor> layerOf(int layer) {
    at::manual_seed(layer);
    return {at::randn({7, 33}), at::randn({129}).to(at::kBFloat16), at::randn({4, 4}).to(at::kFloat8_e4m3fn),
            at::full({}, double(layer))};
}

/// Layers of which no two are alike, with a convolution's weights in channels-last order.
std::vector<at::Tensor> unlikeLayerOf(int layer) {
    at::manual_seed(layer);
    std::vector<at::Tensor> tensors{at::randn({8, 1 + layer % 3, 3, 3}).to(at::MemoryFormat::ChannelsLast)};
    for (int i = 0; i < layer % 4; ++i) tensors.push_back(at::randn({3 * layer, 5}).to(at::kHalf));
    return tensors;
}

void expectEqual(const std::vector<at::Tensor>& got, const std::vector<at::Tensor>& expected) {
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
        EXPECT_EQ(got[i].scalar_type(), expected[i].scalar_type());
        EXPECT_EQ(got[i].strides(), expected[i].strides()) << i;
        EXPECT_TRUE(at::equal(got[i].to(at::kFloat), expected[i].to(at::kFloat))) << i;
    }
}

TEST(PackedLayers, GiveEachLayerBackAcrossTheEdgesOfTheirPieces) {
    constexpr int kLayers = 5;
    PackedLayers layers(at::kCPU, kLayers, /*chunkBytes=*/1000);
    for (int layer = 0; layer < kLayers; ++layer) layers.add(layerOf(layer));
    at::Tensor bytes = at::empty({layers.mostBytes()}, at::kByte);
    for (const int layer : {3, 0, 4, 1, 2}) {
        layers.copyTo(bytes, layer);
        expectEqual(layers.tensorsIn(bytes, layer), layerOf(layer));
    }
}

TEST(PackedLayers, GiveBackLayersThatDifferInTheirOwnOrderOfDimensions) {
    constexpr int kLayers = 9;
    PackedLayers layers(at::kCPU, kLayers, /*chunkBytes=*/1000);
    std::int64_t most = 0;
    for (int layer = 0; layer < kLayers; ++layer) {
        layers.add(unlikeLayerOf(layer));
        most = std::max(most, LayerLayout(unlikeLayerOf(layer)).bytes());
    }
    EXPECT_EQ(layers.mostBytes(), most);
    at::Tensor bytes = at::empty({layers.mostBytes()}, at::kByte);
    for (const int layer : {8, 0, 7, 1, 6, 2, 5, 3, 4}) {
        layers.copyTo(bytes, layer);
        expectEqual(layers.tensorsIn(bytes, layer), unlikeLayerOf(layer));
    }
}

TEST(PackedLayers, RefuseMoreLayersThanTheyHaveRoomFor) {
    PackedLayers layers(at::kCPU, 2);
    layers.add({at::ones({2})});
    layers.add({});
    EXPECT_THROW(layers.add({at::zeros({2})}), Failure);
}

TEST(LayerLayout, FitsTensorsOfTheSameShapeDtypeAndOrder) {
    const at::Tensor matrix = at::ones({2, 3});
    const LayerLayout layout({matrix});
    EXPECT_TRUE(layout.fits({at::zeros({2, 3})}));
    EXPECT_FALSE(layout.fits({at::zeros({3, 2})}));
    EXPECT_FALSE(layout.fits({at::zeros({3, 2}).t()}));
    EXPECT_FALSE(layout.fits({matrix.to(at::kHalf)}));
    EXPECT_FALSE(layout.fits({matrix, matrix}));
}

TEST(LayerWindow, HoldsWhicheverLayerIsUsed) {
    for (const int count : {1, 2, 3, 4}) {
        PackedLayers packed(at::kCPU, count);
        for (int layer = 0; layer < count; ++layer) packed.add(unlikeLayerOf(layer));
        LayerWindow window(at::kCPU, std::move(packed));
        // In order, again, with a skip back as a step cache does it, and the same one twice.
        std::vector<int> order;
        for (int pass = 0; pass < 2; ++pass)
            for (int layer = 0; layer < count; ++layer) order.push_back(layer);
        order.insert(order.end(), {0, 0, count - 1, 0, count / 2});
        for (const int layer : order)
            expectEqual(window.tensorsOf(window.use(layer), layer), unlikeLayerOf(layer));
    }
}

}  // namespace
}  // namespace reelgrid::weights
