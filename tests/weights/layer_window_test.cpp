#include "core/weights/layer_window.h"

#include <gmock/gmock.h>

#include "core/base/result.h"

namespace reelgrid::weights {
namespace {

std::vector<at::Tensor> layerOf(int layer) {
    at::manual_seed(layer);
    return {at::randn({7, 33}), at::randn({129}).to(at::kBFloat16), at::randn({4, 4}).to(at::kFloat8_e4m3fn),
            at::full({}, double(layer))};
}

void expectEqual(const std::vector<at::Tensor>& got, const std::vector<at::Tensor>& expected) {
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
        EXPECT_EQ(got[i].scalar_type(), expected[i].scalar_type());
        EXPECT_TRUE(at::equal(got[i].to(at::kFloat), expected[i].to(at::kFloat))) << i;
    }
}

TEST(PackedLayers, GiveEachLayerBackAcrossTheEdgesOfTheirPieces) {
    constexpr int kLayers = 5;
    PackedLayers layers(at::kCPU, kLayers, /*chunkBytes=*/1000);
    for (int layer = 0; layer < kLayers; ++layer) layers.add(layerOf(layer));
    at::Tensor bytes = at::empty({layers.layerBytes()}, at::kByte);
    for (const int layer : {3, 0, 4, 1, 2}) {
        layers.copyTo(bytes, layer);
        expectEqual(layers.tensorsIn(bytes), layerOf(layer));
    }
}

TEST(PackedLayers, RefuseALayerThatIsNotLikeTheFirst) {
    PackedLayers layers(at::kCPU, 2);
    layers.add({at::ones({2})});
    EXPECT_THROW(layers.add({at::ones({3})}), Failure);
    EXPECT_THROW(layers.add({at::ones({2}), at::ones({2})}), Failure);
    layers.add({at::zeros({2})});
    EXPECT_THROW(layers.add({at::zeros({2})}), Failure);
}

TEST(LayerWindow, HoldsWhicheverLayerIsUsed) {
    for (const int count : {1, 2, 3, 4}) {
        PackedLayers packed(at::kCPU, count);
        for (int layer = 0; layer < count; ++layer) packed.add(layerOf(layer));
        LayerWindow window(at::kCPU, std::move(packed));
        const std::vector<std::vector<at::Tensor>> views{window.tensorsOf(0), window.tensorsOf(1)};
        // In order, again, with a skip back as a step cache does it, and the same one twice.
        std::vector<int> order;
        for (int pass = 0; pass < 2; ++pass)
            for (int layer = 0; layer < count; ++layer) order.push_back(layer);
        order.insert(order.end(), {0, 0, count - 1, 0, count / 2});
        for (const int layer : order) expectEqual(views.at(window.use(layer)), layerOf(layer));
    }
}

}  // namespace
}  // namespace reelgrid::weights
