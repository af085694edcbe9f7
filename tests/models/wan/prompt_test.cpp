#include "core/models/wan/prompt.h"

#include <gmock/gmock.h>

#include "core/safetensors/header.h"
#include "core/safetensors/mapped_file.h"
#include "tests/text/text_fixture.h"

namespace reelgrid::models::wan {
namespace {

using text::fixtureJson;
using text::kDemoModel;
using text::kFixtures;
using text::relativeError;

// The tokenizer's library and libtorch both carry protobuf: that both work here is part of what is tested.
TEST(PromptEncoder, MatchesTheReferencePipelineOnTheDemoModel) {
    const Checkpoint model(kDemoModel);
    const PromptEncoder encoder(model, loadTokenizer(model), at::kFloat);
    const auto map = safetensors::MappedFile::open(kFixtures / "demo-embeddings.safetensors");
    const auto entries = safetensors::readHeader(map->bytes(), "demo-embeddings.safetensors");
    const nlohmann::json prompts = fixtureJson("demo-prompts.json");
    ASSERT_EQ(prompts.size(), 3U);
    for (const auto& [name, prompt] : prompts.items()) {
        const auto& entry = entries.at(name);
        const at::Tensor expected =
            at::from_blob(const_cast<char*>(map->bytes().data()) + entry.begin, entry.shape, at::kFloat);
        const PromptEmbedding encoded = encoder.embed(prompt);
        ASSERT_EQ(encoded.embedding.sizes(), (at::IntArrayRef{1, 512, 256}));
        EXPECT_EQ(encoded.embedding.scalar_type(), at::kFloat);
        ASSERT_EQ(encoded.tokens, expected.size(0)) << prompt;
        EXPECT_LE(relativeError(encoded.embedding[0].narrow(0, 0, encoded.tokens), expected), 1e-4) << prompt;
        EXPECT_EQ(encoded.embedding[0].slice(0, encoded.tokens).abs().max().item<float>(), 0.0F);
    }
}

TEST(PromptEncoder, CutsALongPromptAt512Tokens) {
    std::string prompt;
    for (int i = 0; i < 600; ++i) prompt += "a red car ";
    const Checkpoint model(kDemoModel);
    const PromptEmbedding encoded = PromptEncoder(model, loadTokenizer(model), at::kFloat).embed(prompt);
    EXPECT_EQ(encoded.tokens, 512);
    EXPECT_TRUE(encoded.embedding.isfinite().all().item<bool>());
}

TEST(CutPrompts, SayWhatIsBeyond512Tokens) {
    const auto tokenizer = loadTokenizer(Checkpoint(kDemoModel));
    // Each word is a token; the end is the 512th.
    std::string words;
    for (int i = 0; i < 511; ++i) words += "red ";
    catalog::RenderSettings settings;
    settings.numFrames = 5;
    settings.guidanceScale = 5;
    settings.prompt = settings.negativePrompt = words;
    EXPECT_THAT(cutPrompts(*tokenizer, settings), testing::IsEmpty());
    settings.prompt += " car\n on a  beach ";
    settings.negativePrompt += "car";
    EXPECT_THAT(cutPrompts(*tokenizer, settings),
                testing::ElementsAre("the prompt is cut at 512 tokens, this is not seen: car on a beach",
                                     "the negative prompt is cut at 512 tokens, this is not seen: car"));
    settings.guidanceScale = 1;
    EXPECT_EQ(cutPrompts(*tokenizer, settings).size(), 1U) << "no negative prompt without guidance";
}

}  // namespace
}  // namespace reelgrid::models::wan
