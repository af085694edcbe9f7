#include "core/text/encoders/t5_encoder.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <map>

#include "core/weights/safetensors_folder.h"
#include "core/weights/safetensors_writer.h"
#include "tests/text/text_fixture.h"

namespace reelgrid::text {
namespace {

using testing::HasSubstr;
using weights::ModelConfig;
using weights::WeightScope;

T5Encoder tinyEncoder(at::ScalarType dtype) {
    weights::SafetensorsFolder source(kFixtures / "tiny-t5");
    return {T5Config::read(ModelConfig::read(kFixtures / "tiny-t5")), WeightScope(source, dtype)};
}

double errorAt(const T5Encoder& encoder, std::int64_t length) {
    weights::SafetensorsFolder outputs(kFixtures / "tiny-t5-outputs.safetensors");
    const at::Tensor ids = outputs.require(std::to_string(length) + ".ids", {length});
    const at::Tensor hidden =
        encoder.forward({ids.const_data_ptr<std::int64_t>(), static_cast<std::size_t>(length)});
    return relativeError(hidden, outputs.require(std::to_string(length) + ".hidden", {length, 32}));
}

TEST(T5Encoder, MatchesTheReferenceWithPaddingThatItSees) {
    const T5Encoder encoder = tinyEncoder(at::kFloat);
    for (const std::int64_t length : {1, 9, 226}) EXPECT_LE(errorAt(encoder, length), 1e-5) << length;
    EXPECT_LE(errorAt(tinyEncoder(at::kBFloat16), 226), 0.1);
}

TEST(T5Encoder, HasTheOfficialXxlParameters) {
    weights::RecordingWeights recording(hasOneTable);
    const T5Config config =
        T5Config::read(ModelConfig(fixtureJson("t5-xxl-config.json"), "t5-xxl-config.json"));
    const T5Encoder encoder(config, WeightScope(recording, at::kBFloat16));
    const std::map<std::string, std::vector<std::int64_t>> asked(recording.requests().begin(),
                                                                 recording.requests().end());
    EXPECT_EQ(asked.size(), recording.requests().size()) << "a parameter was asked for twice";
    EXPECT_EQ(
        asked,
        (fixtureJson("t5-xxl-parameters.json").get<std::map<std::string, std::vector<std::int64_t>>>()));
}

/// transformers 5 takes one of the two, transformers 4 the other.
TEST(T5Encoder, RefusesTwoTablesOfEmbeddingsThatDiffer) {
    weights::SafetensorsFolder source(kFixtures / "tiny-t5");
    std::map<std::string, at::Tensor> tensors;
    for (const std::string& name : source.names())
        tensors[name] = source.require(name, *source.shapeOf(name)).clone();
    const auto file = std::filesystem::path(testing::TempDir()) /
                      ("two_tables_" + std::to_string(getpid()) + ".safetensors");
    const auto answer = [&] {
        weights::writeHashedSafetensors(file, tensors).value();
        weights::SafetensorsFolder both(file);
        const T5Encoder encoder(T5Config::read(ModelConfig::read(kFixtures / "tiny-t5")),
                                WeightScope(both, at::kFloat));
        const std::vector<std::int64_t> ids{5, 7, 1};
        return failureOf([&] { (void)encoder.forward(ids); });
    };
    tensors["encoder.embed_tokens.weight"] = tensors.at("shared.weight").clone();
    EXPECT_EQ(answer(), "no failure");
    tensors["encoder.embed_tokens.weight"][9].add_(1);
    EXPECT_EQ(answer(), "no failure") << "a row that the prompt has no use for";
    tensors["encoder.embed_tokens.weight"][7].add_(1);
    EXPECT_THAT(answer(), HasSubstr("\"shared.weight\" and encoder.embed_tokens.weight differ"));
    std::filesystem::remove(file);
}

TEST(T5Encoder, IsNotUmt5) {
    EXPECT_THAT(failureOf([] { (void)T5Config::read(ModelConfig::read(kFixtures / "tiny-umt5")); }),
                HasSubstr("model_type is \"umt5\""));
}

}  // namespace
}  // namespace reelgrid::text
