#include "core/weights/pt_tensors.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/pending_file.h"
#include "core/pt/pt_file.h"

namespace reelgrid::weights {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const fs::path kFixtures = fs::path(REELGRID_SOURCE_DIR) / "tests/fixtures/pt";

TEST(PtTensors, HaveTorchSavesValuesTypesAndStrides) {
    const json files = json::parse(readFile(kFixtures / "cases.json").value())["files"];
    int seen = 0;
    for (const auto& [name, tensors] : files.items()) {
        const auto value = pt::readPt(kFixtures / name);
        ASSERT_TRUE(value) << value.error().message;
        for (const auto& [key, expected] : tensors.items()) {
            const auto* stored = value->as<pt::Dict>()->find(key)->as<pt::Tensor>();
            ASSERT_NE(stored, nullptr) << key;
            const at::Tensor tensor = tensorFrom(*stored);
            EXPECT_EQ(json(tensor.sizes().vec()), expected["sizes"]) << key;
            EXPECT_EQ(json(tensor.strides().vec()), expected["strides"]) << key;
            const at::Tensor values = tensor.to(at::kDouble).contiguous().flatten();
            EXPECT_EQ(json(std::vector<double>(values.data_ptr<double>(),
                                               values.data_ptr<double>() + values.numel())),
                      expected["values"])
                << key;
            ++seen;
        }
    }
    EXPECT_EQ(seen, 18);
}

TEST(PtTensors, SurviveTheWayIntoAFileAndBack) {
    const at::Tensor base = at::randn({2, 3, 4});
    for (const at::Tensor& tensor :
         {base, base.transpose(0, 2), base.select(0, 1).slice(0, 1), at::scalar_tensor(2.5),
          at::empty({0, 3}), at::ones({3}, at::kBool), at::arange(4, at::kLong), base.to(at::kHalf)}) {
        const at::Tensor back = tensorFrom(ptTensorOf(tensor));
        EXPECT_TRUE(at::equal(back, tensor));
        EXPECT_EQ(back.strides(), tensor.strides());
        EXPECT_EQ(back.scalar_type(), tensor.scalar_type());
    }
}

TEST(PtTensors, AMisalignedStorageIsCopied) {
    const auto bytes = std::make_shared<const std::string>(9, '\0');
    const pt::Tensor stored{.storage = std::make_shared<const pt::Storage>(
                                pt::Storage{std::string_view(*bytes).substr(1), bytes}),
                            .type = pt::ElementType::F32,
                            .sizes = {2},
                            .strides = {1}};
    const at::Tensor tensor = tensorFrom(stored);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(tensor.const_data_ptr()) % 4, 0u);
    EXPECT_TRUE(at::equal(tensor, at::zeros({2})));
}

}  // namespace
}  // namespace reelgrid::weights
