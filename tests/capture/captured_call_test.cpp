#include "core/capture/captured_call.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/pending_file.h"
#include "core/pt/pt_file.h"
#include "core/weights/pt_tensors.h"

namespace reelgrid::capture {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const fs::path kFixtures = fs::path(REELGRID_SOURCE_DIR) / "tests/fixtures/pt";

TEST(CaptureFiles, AreSortedByNumberHoweverTheyArePadded) {
    std::vector<std::string> names;
    const auto files = captureFiles(kFixtures / "upstream-captures").value();
    for (const fs::path& file : files) names.push_back(file.filename().string());
    EXPECT_THAT(names, testing::ElementsAre("fav2_input_000000.pt", "fav2_input_2.pt", "fav2_input_10.pt"));
}

TEST(CaptureFiles, AFolderWithoutAnySaysSo) {
    const auto none = captureFiles(kFixtures);
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().code, ErrorCode::NotFound);
    EXPECT_THAT(none.error().message,
                testing::AllOf(HasSubstr(kFixtures.string()), HasSubstr("--save-inputs")));
    EXPECT_EQ(captureFiles("/nowhere").error().code, ErrorCode::NotFound);
}

TEST(ReadCapture, ReadsUpstreamsOwn) {
    const auto sums = nlohmann::json::parse(readFile(kFixtures / "cases.json").value())["upstream_captures"];
    for (const auto& [name, expected] : sums.items()) {
        const auto call = readCapture(kFixtures / "upstream-captures" / name);
        ASSERT_TRUE(call) << call.error().message;
        EXPECT_EQ(call->q_BHND.sizes(), (std::vector<std::int64_t>{1, 2, 6, 8}));
        EXPECT_EQ(call->k_BHMD.sizes(), (std::vector<std::int64_t>{1, 2, 10, 8}));
        EXPECT_EQ(call->q_BHND.scalar_type(), at::kBFloat16);
        EXPECT_DOUBLE_EQ(call->q_BHND.to(at::kDouble).sum().item<double>(), expected["q"]);
        EXPECT_DOUBLE_EQ(call->k_BHMD.to(at::kDouble).sum().item<double>(), expected["k"]);
        EXPECT_DOUBLE_EQ(call->v_BHMD.to(at::kDouble).sum().item<double>(), expected["v"]);
        EXPECT_EQ(call->kernel, "fav2");
        EXPECT_EQ(call->branch, "");
        EXPECT_FALSE(call->layer || call->step || call->keyBias_M.defined());
    }
    const CapturedCall causal = readCapture(kFixtures / "upstream-captures/fav2_input_2.pt").value();
    EXPECT_EQ(causal.mask, kernels::Mask::Causal);
    EXPECT_EQ(causal.scale, 0.25);
    EXPECT_EQ(causal.callIndex, 2);
    const CapturedCall plain = readCapture(kFixtures / "upstream-captures/fav2_input_000000.pt").value();
    EXPECT_EQ(plain.mask, kernels::Mask::None);
    EXPECT_EQ(plain.scale, std::nullopt);
}

class MadeCapture : public testing::Test {
  protected:
    fs::path m_folder = fs::path(testing::TempDir()) / ("captured_call_" + std::to_string(getpid()));
    fs::path m_file = m_folder / "sdpa_input_000004.pt";
    void SetUp() override {
        fs::create_directories(m_folder);
        at::manual_seed(1);
        m_tensors = {
            {"q", at::randn({1, 4, 6, 8})}, {"k", at::randn({1, 2, 9, 8})}, {"v", at::randn({1, 2, 9, 8})}};
    }
    void TearDown() override { fs::remove_all(m_folder); }

    Result<CapturedCall> read(Layout layout = Layout::Recorded) {
        pt::Dict content = m_extra;
        for (const auto& [key, tensor] : m_tensors) content.add(key, weights::ptTensorOf(tensor));
        EXPECT_TRUE(pt::writePt(m_file, content));
        return readCapture(m_file, layout);
    }
    std::string refusal() {
        const auto call = read();
        if (call) return "read";
        EXPECT_THAT(call.error().message, HasSubstr(m_file.string()));
        EXPECT_EQ(call.error().code, ErrorCode::InvalidData);
        return call.error().message;
    }

    std::map<std::string, at::Tensor> m_tensors;
    pt::Dict m_extra;
};

TEST_F(MadeCapture, NeedsNoMoreThanTheTensors) {
    const auto call = read();
    ASSERT_TRUE(call) << call.error().message;
    EXPECT_EQ(call->callIndex, 4);
    EXPECT_EQ(call->kernel, "sdpa");
    EXPECT_TRUE(at::equal(call->q_BHND, m_tensors["q"]));
}

TEST_F(MadeCapture, HasTheProjectionOfALayerThatWasTrainedForSla) {
    EXPECT_FALSE(read()->projL_DD.defined());
    m_tensors["proj_l_weight"] = at::randn({8, 8});
    EXPECT_TRUE(at::equal(read()->projL_DD, m_tensors["proj_l_weight"]));
    EXPECT_FALSE(read()->projLBias_D.defined());
    m_tensors["proj_l_bias"] = at::randn({8});
    EXPECT_TRUE(at::equal(read()->projLBias_D, m_tensors["proj_l_bias"]));
    m_tensors["proj_l_weight"] = at::randn({8, 4});
    EXPECT_THAT(refusal(), HasSubstr("proj_l_weight has shape (8, 4) and dtype Float: q's head dim 8"));
    m_tensors["proj_l_weight"] = at::randn({8, 8}).to(at::kHalf);
    EXPECT_THAT(refusal(), HasSubstr("dtype Half"));
    m_tensors.erase("proj_l_weight");
    EXPECT_THAT(refusal(), HasSubstr("proj_l_bias without proj_l_weight"));
}

TEST_F(MadeCapture, TokensFirstIsTurnedAround) {
    for (auto& [key, tensor] : m_tensors) tensor = tensor.transpose(1, 2).contiguous();
    EXPECT_TRUE(at::equal(read(Layout::Bshd)->q_BHND, m_tensors["q"].transpose(1, 2)));
    m_extra.add("layout", std::string("BSHD"));
    EXPECT_TRUE(at::equal(read()->k_BHMD, m_tensors["k"].transpose(1, 2)));
    m_extra.entries.back().value = std::string("SBHD");
    EXPECT_THAT(refusal(), HasSubstr("layout SBHD: BHSD or BSHD was needed"));
}

TEST_F(MadeCapture, AHeadDimensionWithGapsIsCopiedTogether) {
    m_tensors["q"] = at::randn({1, 4, 8, 6}).transpose(2, 3);
    const auto call = read();
    ASSERT_TRUE(call) << call.error().message;
    EXPECT_EQ(call->q_BHND.stride(3), 1);
    EXPECT_TRUE(at::equal(call->q_BHND, m_tensors["q"]));
}

TEST_F(MadeCapture, WhatDoesntFitTogetherIsRefused) {
    const auto whole = m_tensors;
    const auto with = [&](const char* key, const at::Tensor& tensor) {
        m_tensors = whole;
        m_tensors[key] = tensor;
        return refusal();
    };
    EXPECT_THAT(with("q", at::randn({4, 6, 8})), HasSubstr("q has shape (4, 6, 8): 4 dimensions"));
    EXPECT_THAT(with("q", at::randn({1, 4, 0, 8})), HasSubstr("none of them empty"));
    EXPECT_THAT(with("q", at::randn({1, 1, 6, 8}).expand({1, 4, 6, 8})), HasSubstr("or repeated"));
    EXPECT_THAT(with("q", at::randn({1, 3, 6, 8})), HasSubstr("divides q's"));
    EXPECT_THAT(with("q", at::randn({2, 4, 6, 8})), HasSubstr("q (2, 4, 6, 8)"));
    EXPECT_THAT(with("q", at::randn({1, 4, 6, 16})), HasSubstr("head dim"));
    EXPECT_THAT(with("v", at::randn({1, 2, 8, 8})), HasSubstr("k and v of one shape"));
    EXPECT_THAT(with("k", at::randn({1, 2, 9, 8}).to(at::kHalf)), HasSubstr("one dtype"));
    EXPECT_THAT(with("key_bias", at::randn({8})),
                HasSubstr("key_bias has 8 elements of Float: 9 of float32"));
    EXPECT_THAT(with("key_bias", at::ones({9}, at::kLong)), HasSubstr("9 elements of Long"));
    m_tensors = whole;
    for (auto& [key, tensor] : m_tensors) tensor = tensor.to(at::kDouble);
    EXPECT_THAT(refusal(), HasSubstr("q has dtype Double"));
    m_tensors = whole;
    m_tensors.erase("v");
    EXPECT_THAT(refusal(), HasSubstr("it has no v"));
    m_extra.add("v", std::int64_t{1});
    EXPECT_THAT(refusal(), HasSubstr("v is not a tensor"));
}

TEST_F(MadeCapture, NumbersAreChecked) {
    const auto with = [&](const char* key, pt::Value value) {
        m_extra = {};
        m_extra.add(key, std::move(value));
        return refusal();
    };
    EXPECT_THAT(with("call_idx", std::int64_t{-1}), HasSubstr("call_idx -1"));
    EXPECT_THAT(with("layer", std::int64_t{1} << 40), HasSubstr("layer 1099511627776"));
    EXPECT_THAT(with("step", std::string("2")), HasSubstr("step is not a whole number"));
    EXPECT_THAT(with("scale", -1.0), HasSubstr("scale -1"));
    EXPECT_THAT(with("scale", std::nan("")), HasSubstr("scale nan"));
    EXPECT_THAT(with("kwargs", std::int64_t{1}), HasSubstr("kwargs is not a dict"));
    EXPECT_EQ(with("layer", pt::Value()), "read");
}

TEST_F(MadeCapture, OfAnotherAttentionIsRefused) {
    const auto with = [&](const char* key, pt::Value value) {
        pt::Dict kwargs;
        kwargs.add(key, std::move(value));
        m_extra = {};
        m_extra.add("scale", 0.25);
        m_extra.add("kwargs", std::move(kwargs));
        return read();
    };
    const auto tupleOf = [](std::int64_t number) {
        return pt::Tuple{{pt::Value(number), pt::Value(number)}};
    };
    EXPECT_EQ(with("causal", true)->mask, kernels::Mask::Causal) << "as flash_attn calls it";
    EXPECT_TRUE(with("softmax_scale", 0.25));
    EXPECT_TRUE(with("window_size", tupleOf(-1)));
    EXPECT_TRUE(with("dropout_p", 0.0));
    EXPECT_TRUE(with("attn_mask", pt::Value()));
    EXPECT_TRUE(with("deterministic", true));
    EXPECT_THAT(with("softmax_scale", 0.5).error().message,
                HasSubstr("kwargs' softmax_scale 0.500000 is another scale than the capture's 0.250000"));
    EXPECT_THAT(with("sm_scale", 0.5).error().message, HasSubstr("kwargs' sm_scale 0.500000 is another"));
    EXPECT_TRUE(with("attention_chunk", std::int64_t{0}));
    for (const auto& [key, value] : {std::pair{"window_size", pt::Value(tupleOf(128))},
                                     {"dropout_p", pt::Value(0.1)},
                                     {"softcap", pt::Value(50.0)},
                                     {"attention_chunk", pt::Value(std::int64_t{64})},
                                     {"attn_bias", pt::Value(std::string("given"))},
                                     {"attn_mask", pt::Value(std::string("given"))}})
        EXPECT_THAT(with(key, value).error().message, HasSubstr(std::string("kwargs has ") + key));
}

TEST_F(MadeCapture, ArgumentsOfSageAttentionCount) {
    m_tensors["k"] = m_tensors["v"] = at::randn({1, 2, 3, 8});
    const auto with = [&](const std::string& layout, const char* recorded = nullptr) {
        pt::Dict kwargs;
        kwargs.add("tensor_layout", layout);
        kwargs.add("sm_scale", 0.5);
        m_extra = {};
        m_extra.add("kwargs", std::move(kwargs));
        if (recorded != nullptr) m_extra.add("layout", std::string(recorded));
        return read();
    };
    const auto heads = [](const Result<CapturedCall>& call) { return call.value().q_BHND.size(1); };
    EXPECT_EQ(with("HND")->scale, 0.5);
    EXPECT_EQ(heads(with("HND")), m_tensors.at("q").size(1));
    EXPECT_EQ(heads(with("NHD")), m_tensors.at("q").size(2));
    EXPECT_EQ(heads(with("NHD", "BSHD")), m_tensors.at("q").size(2));
    EXPECT_THAT(with("NHD", "BHSD").error().message,
                HasSubstr("kwargs' tensor_layout NHD is another layout than the capture's BHSD"));
    EXPECT_THAT(with("NDH").error().message, HasSubstr("kwargs' tensor_layout NDH: HND or NHD was needed"));
}

TEST_F(MadeCapture, SaysWhereItsTokensLie) {
    EXPECT_FALSE(read()->grid.isKnown());
    const auto with = [&](std::vector<pt::Value> numbers) {
        m_extra = {};
        m_extra.add("grid", pt::List{std::move(numbers)});
        return read();
    };
    const auto number = [](std::int64_t n) { return pt::Value(n); };
    const auto call = with({number(1), number(2), number(2), number(1), number(1)});
    ASSERT_TRUE(call) << call.error().message;
    EXPECT_EQ(call->grid, (kernels::TokenGrid{1, 2, 2, 1, 1}));
    EXPECT_THAT(with({number(1), number(2), number(2), number(0), number(0)}).error().message,
                HasSubstr("grid has 4 tokens: the 6 of q were needed"));
    for (const auto& wrong : {std::vector{number(6)},
                              {number(0), number(2), number(3), number(0), number(6)},
                              {number(1), number(2), number(3), number(0), number(-1)},
                              {number(1), number(2), number(3), number(0), pt::Value(std::string("0"))}})
        EXPECT_THAT(with(wrong).error().message, HasSubstr("grid is not a list of five whole numbers"));
}

TEST_F(MadeCapture, AnotherPtFileIsRefused) {
    ASSERT_TRUE(pt::writePt(m_file, pt::List{}));
    const auto call = readCapture(m_file);
    ASSERT_FALSE(call);
    EXPECT_THAT(call.error().message, HasSubstr("a dict with q, k and v was needed"));
}

}  // namespace
}  // namespace reelgrid::capture
