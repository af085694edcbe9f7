#include "core/weights/pt_tensors.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/pending_file.h"
#include "core/base/result.h"
#include "core/pt/pt_file.h"
#include "core/weights/finite_check.h"
#include "core/weights/pt_weights.h"

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

TEST(PtWeights, ScaledFp8IsRefusedAndPlainFp8IsTaken) {
    const at::Tensor plain = PtWeights(kFixtures / "plain_fp8.pt").require("to_q.weight", {2, 2});
    EXPECT_EQ(plain.scalar_type(), at::kFloat8_e4m3fn);
    EXPECT_TRUE(at::equal(plain.to(at::kFloat), at::full({2, 2}, 1.5)));
    try {
        const PtWeights weights(kFixtures / "scaled_fp8.pt");
        ADD_FAILURE() << "its scales are passed over";
    } catch (const Failure& failure) {
        EXPECT_THAT(failure.error().message,
                    testing::EndsWith(
                        "scaled_fp8.pt: tensor \"to_q.scale_weight\" scales \"to_q.weight\", which is in "
                        "FP8: scaled FP8 is read from .safetensors alone"));
    }
}

TEST(PtWeights, ADamagedStorageIsNamed) {
    const auto file =
        std::filesystem::path(testing::TempDir()) / ("whole_" + std::to_string(getpid()) + ".pth");
    const at::Tensor large = at::randn({3 << 20}), small = at::randn({4});
    pt::Dict dict;
    dict.add("large", ptTensorOf(large));
    dict.add("small", ptTensorOf(small));
    ASSERT_TRUE(pt::writePt(file, dict));
    {
        PtWeights weights(file);
        for (int again = 0; again < 2; ++again)
            EXPECT_TRUE(at::equal(weights.require("large", {3 << 20}), large));
        EXPECT_TRUE(at::equal(weights.require("small", {4}), small));
    }
    std::string bytes = readFile(file, std::size_t{64} << 20).value();
    bytes[bytes.size() / 2] ^= 4;
    ASSERT_TRUE(writeFile(file, bytes));
    PtWeights weights(file);
    EXPECT_TRUE(at::equal(weights.require("small", {4}), small));
    for (int again = 0; again < 2; ++again) try {
            (void)weights.require("large", {3 << 20});
            ADD_FAILURE() << "damage was taken";
        } catch (const Failure& failure) {
            EXPECT_THAT(failure.error().message,
                        testing::HasSubstr(file.string() + ": tensor \"large\" is damaged: the checksum"));
        }
    EXPECT_THAT(notFiniteIn(file, {}), testing::ElementsAre(testing::HasSubstr("\"large\" is damaged")));
    std::filesystem::remove(file);
}

}  // namespace
}  // namespace reelgrid::weights
