#include "core/denoising/prompt_memory.h"

#include <gmock/gmock.h>

namespace reelgrid::denoising {
namespace {

using testing::ElementsAre;

/// Tells a prompt's length twice, as two encoders would.
class Counting final : public PromptEncoder {
  public:
    explicit Counting(int& encoded) : m_encoded(encoded) {}
    NamedTensors encode(const std::string& prompt) const override {
        ++m_encoded;
        const auto length = static_cast<double>(prompt.size());
        return {{"text", at::full({1, 2}, length)}, {"pooled", at::full({1}, -length)}};
    }

  private:
    int& m_encoded;
};

class PromptMemoryTest : public testing::Test {
  protected:
    PromptMemory memory(Encoders residence) {
        return {residence, [this] {
                    ++m_loaded;
                    return std::make_unique<Counting>(m_encoded);
                }};
    }

    int m_loaded = 0, m_encoded = 0;
};

TEST_F(PromptMemoryTest, KeepsEveryTensorOfAPromptByItsName) {
    PromptMemory memory = this->memory(Encoders::Kept);
    const NamedTensors tensors = memory.encode("abc");
    EXPECT_TRUE(at::equal(tensors.at("text"), at::full({1, 2}, 3.0)));
    EXPECT_TRUE(at::equal(tensors.at("pooled"), at::full({1}, -3.0)));
}

TEST_F(PromptMemoryTest, LoadsEncodersThatAreKeptAtOnceAndOnlyOnce) {
    PromptMemory memory = this->memory(Encoders::Kept);
    EXPECT_EQ(m_loaded, 1);
    for (int render = 0; render < 2; ++render) {
        (void)memory.encode("a");
        memory.release();
    }
    EXPECT_EQ(m_loaded, 1);
    EXPECT_EQ(m_encoded, 2);
}

TEST_F(PromptMemoryTest, LoadsFreedEncodersOnlyForPromptsThatItDoesNotKnow) {
    PromptMemory memory = this->memory(Encoders::FreedAfterUse);
    EXPECT_EQ(m_loaded, 0);
    EXPECT_FALSE(memory.isReadyFor("a"));
    (void)memory.encode("a");
    memory.release();
    EXPECT_TRUE(memory.isReadyFor("a"));
    EXPECT_FALSE(memory.isReadyFor("b"));
    EXPECT_TRUE(at::equal(memory.encode("a").at("pooled"), at::full({1}, -1.0)));
    EXPECT_EQ(m_loaded, 1);
    EXPECT_EQ(m_encoded, 1);
}

TEST_F(PromptMemoryTest, EncodesANegativePromptOnlyWithGuidance) {
    PromptMemory memory = this->memory(Encoders::Kept);
    catalog::RenderSettings settings;
    settings.prompt = "abc";
    settings.negativePrompt = "a";
    settings.guidanceScale = 1.0;
    std::vector<int> totals;
    StageClock clock(
        [&](const protocol::RenderProgress& progress) {
            if (progress.done == 0) totals.push_back(progress.total);
        },
        {});
    EXPECT_FALSE(encodePrompts(memory, settings, clock).negative);
    settings.guidanceScale = 2.5;
    const EncodedPrompts both = encodePrompts(memory, settings, clock);
    EXPECT_TRUE(at::equal(both.prompt.at("pooled"), at::full({1}, -3.0)));
    EXPECT_TRUE(at::equal(both.negative->at("pooled"), at::full({1}, -1.0)));
    EXPECT_THAT(totals, ElementsAre(1, 2));
}

}  // namespace
}  // namespace reelgrid::denoising
