#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>

#include "core/base/result.h"
#include "core/models/unet/layers.h"
#include "core/weights/safetensors_folder.h"
#include "core/weights/safetensors_writer.h"

namespace reelgrid::models::unet {
namespace {

namespace fs = std::filesystem;

/// A checkpoint may lack any tensor: what was read before it must be given back once. (GCC 12 destroys a
/// member of an aggregate twice where it is written as {…} without its type, the type has default member
/// initialisers, and the next member throws.)
TEST(SelfProducts, WithoutTheirLastTensorAreRefusedByItsName) {
    const fs::path folder = fs::path(testing::TempDir()) / ("self_products_" + std::to_string(getpid()));
    fs::create_directories(folder);
    weights::writeSafetensors(folder / "model.safetensors", {{"to_q.weight", at::rand({8, 8})},
                                                             {"to_k.weight", at::rand({8, 8})},
                                                             {"to_v.weight", at::rand({8, 8})}})
        .value();
    weights::SafetensorsFolder source(folder);
    constexpr int kTimes = 100;  // a heap that is damaged once may look whole
    for (int i = 0; i < kTimes; ++i) {
        try {
            (void)SelfProducts::load(weights::WeightScope(source, at::kFloat), 8);
            FAIL() << "to_out is missing";
        } catch (const Failure& failure) {
            EXPECT_THAT(failure.error().message, testing::HasSubstr("to_out.0.weight"));
        }
    }
    fs::remove_all(folder);
}

}  // namespace
}  // namespace reelgrid::models::unet
