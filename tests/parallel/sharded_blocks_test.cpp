#include <gmock/gmock.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include "core/attention/make_dispatcher.h"
#include "core/models/cogvideox/transformer.h"
#include "core/models/layers/shard_window.h"
#include "core/models/layers/weight_bytes.h"
#include "core/models/wan/transformer.h"
#include "core/parallel/rank_group.h"
#include "core/weights/model_config.h"
#include "core/weights/safetensors_folder.h"
#include "tests/parallel/rank_processes.h"

namespace reelgrid::models {
namespace {

namespace fs = std::filesystem;
using parallel::Mesh;
using parallel::RankEnd;
using parallel::RankGroup;
using parallel::runRanks;

RankGroup groupHere(int seconds = 40) {
    return RankGroup(parallel::rankPlace().value().value(), std::chrono::seconds(seconds));
}

void expectAllEndWell(int ranks, const std::string& body) {
    for (const RankEnd& end : runRanks(ranks, body)) EXPECT_EQ(end.status, 0) << end.errors;
}

std::vector<at::Tensor> layerOf(int layer) {
    at::manual_seed(layer);
    return {at::randn({70, 33}), at::randn({1290}).to(at::kBFloat16),
            at::randn({4, 4}).to(at::kFloat8_e4m3fn), at::full({}, double(layer))};
}

void expectEqual(const std::vector<at::Tensor>& got, const std::vector<at::Tensor>& expected) {
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
        EXPECT_EQ(got[i].scalar_type(), expected[i].scalar_type());
        EXPECT_TRUE(at::equal(got[i].to(at::kFloat), expected[i].to(at::kFloat))) << i;
    }
}

LayerShards shardsOf(Mesh& mesh, int layers) {
    LayerShards shards(at::kCPU, mesh.weights(), layers);
    for (int layer = 0; layer < layers; ++layer) shards.add(layerOf(layer));
    return shards;
}

TEST(DISABLED_InRank, SharesLayers) {
    auto group = groupHere();
    Mesh& mesh = group.mesh({.ulysses = group.ranks()});
    for (const int count : {1, 2, 3, 8}) {
        ShardWindow window(shardsOf(mesh, count));
        const std::vector<std::vector<at::Tensor>> views{window.tensorsOf(0), window.tensorsOf(1)};
        // In order, again, with a skip back as a step cache does it, and the same one twice.
        std::vector<int> order;
        for (int pass = 0; pass < 2; ++pass)
            for (int layer = 0; layer < count; ++layer) order.push_back(layer);
        order.insert(order.end(), {0, 0, count - 1, 0, count / 2});
        for (const int layer : order) expectEqual(views.at(window.use(layer)), layerOf(layer));
    }
    std::uint64_t layerBytes = 0;
    for (const at::Tensor& tensor : layerOf(0)) layerBytes += tensor.nbytes();
    constexpr int kLayers = 24;
    const LayerShards shards = shardsOf(mesh, kLayers);
    // Its part, and what alignment adds.
    EXPECT_LE(shards.heldBytes(), kLayers * (layerBytes / std::uint64_t(group.ranks()) + 1500));
    EXPECT_LT(ShardWindow(shardsOf(mesh, kLayers)).deviceBytes(), kLayers * layerBytes * 3 / 4);
}
TEST(ShardWindow, HoldsWhicheverLayerIsUsedAndAPartOfTheOthers) {
    expectAllEndWell(2, "SharesLayers");
    expectAllEndWell(3, "SharesLayers");
}

TEST(DISABLED_InRank, LosesOneWhileItGathers) {
    auto group = groupHere();
    Mesh& mesh = group.mesh({.ulysses = group.ranks()});
    group.watch().at("step 3 of 9");
    ShardWindow window(shardsOf(mesh, 4));
    static_cast<void>(window.use(0));
    std::this_thread::sleep_for(std::chrono::seconds(1));  // in which it says where it is
    if (group.rank() == 1) kill(getpid(), SIGKILL);
    try {
        for (int layer = 1; layer < 4; ++layer) static_cast<void>(window.use(layer));
        FAIL() << "rank 1 was not there";
    } catch (const Failure& failure) {
        dprintf(STDERR_FILENO, "told: %s\n", failure.what());
        group.watch().ends(failure.error());
        _exit(group.watch().tells() ? 7 : 8);
    }
}
TEST(ShardWindow, EndsWithinSecondsWhereARankDies) {
    const auto start = std::chrono::steady_clock::now();
    const auto ends = runRanks(3, "LosesOneWhileItGathers");
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
    EXPECT_EQ(ends[0].status, 7) << ends[0].errors;
    EXPECT_EQ(ends[1].status, 128 + SIGKILL);
    EXPECT_EQ(ends[2].status, 8) << ends[2].errors;
    EXPECT_THAT(ends[0].errors, testing::ContainsRegex("told: rank 1 on .*, step 3 of 9: it ended"));
}

TEST(LayerShards, RefuseALayerThatIsNotLikeTheFirst) {
    // One rank exchanges nothing, and needs no others.
    const auto store = parallel::RankStore::serve();
    RankGroup group({.port = store->port(), .store = parallel::RankPlace::Store::OfStarter},
                    std::chrono::seconds(10));
    parallel::Communicator& alone = group.mesh({}).weights();
    LayerShards shards(at::kCPU, alone, 2);
    shards.add({at::ones({2})});
    EXPECT_THROW(shards.add({at::ones({3})}), Failure);
    shards.add({at::zeros({2})});
    EXPECT_THROW(shards.add({at::zeros({2})}), Failure);
}

const fs::path kFixtures = fs::path(REELGRID_SOURCE_DIR) / "tests/fixtures";

/// Two passes of a tiny transformer that was loaded so, each by this process alone.
at::Tensor wanFlow(const BlockOptions& blocks, at::ScalarType dtype) {
    using namespace wan;
    const fs::path folder = kFixtures / "wan/two-layers";
    const auto config = WanTransformerConfig::from(weights::ModelConfig::read(folder));
    weights::SafetensorsFolder source(folder);
    WanTransformer model(config, weights::WeightScope(source, dtype), {.blocks = blocks});
    at::manual_seed(11);
    const at::Tensor latents = at::randn({1, config.inChannels, 3, 6, 8});
    const wan::PreparedText text = model.prepareText(at::randn({1, 9, config.textDim}));
    const auto dispatcher = attention::makeDispatcher("sdpa").value();
    const at::Tensor first = model.forward(latents, model.embedTimestep(900), text, *dispatcher);
    latents.narrow(1, 0, first.size(1)).add_(first);
    return model.forward(latents, model.embedTimestep(300), text, *dispatcher);
}

at::Tensor cogVideoXVelocity(const BlockOptions& blocks, at::ScalarType dtype) {
    using namespace cogvideox;
    const fs::path folder = kFixtures / "cogvideox/5b/transformer";
    const auto config = CogVideoXTransformerConfig::from(weights::ModelConfig::read(folder));
    weights::SafetensorsFolder source(folder);
    CogVideoXTransformer model(config, weights::WeightScope(source, dtype), blocks);
    at::manual_seed(11);
    const at::Tensor latents = at::randn({1, config.inChannels, 2 * config.patchFrames(), 6, 8});
    const at::Tensor text = model.prepareText(at::randn({1, config.maxTextSeqLength, config.textEmbedDim}));
    const auto dispatcher = attention::makeDispatcher("sdpa").value();
    return model.forward(latents, model.embedTimestep(900), text, *dispatcher);
}

TEST(DISABLED_InRank, SharesTransformers) {
    auto group = groupHere();
    const c10::InferenceMode inference;
    Mesh& mesh = group.mesh({.ulysses = group.ranks()});
    for (const auto dtype : {at::kFloat, at::kBFloat16})
        for (const auto products : {LinearProducts::AsStored, LinearProducts::Fp8, LinearProducts::Int8}) {
            const BlockOptions held{.products = products}, sharded{.residence = BlockResidence::Sharded,
                                                                   .products = products,
                                                                   .ranks = group.ranks(),
                                                                   .mesh = &mesh};
            EXPECT_TRUE(at::equal(wanFlow(sharded, dtype), wanFlow(held, dtype)))
                << dtype << " " << int(products);
            EXPECT_TRUE(at::equal(cogVideoXVelocity(sharded, dtype), cogVideoXVelocity(held, dtype)))
                << dtype << " " << int(products);
        }
}
TEST(ShardedBlocks, GiveTheSameBitsAsHeldOnes) {
    expectAllEndWell(2, "SharesTransformers");
    expectAllEndWell(3, "SharesTransformers");
}

TEST(ShardedBlocks, TakeTheirPartOfTheDeviceAndTwoBuffers) {
    const std::uint64_t block = 1000;
    EXPECT_EQ(residentBytes(40, block, {}), 40 * block);
    EXPECT_EQ(residentBytes(40, block, {.residence = BlockResidence::Sharded, .ranks = 4}), (10 + 2) * block);
}

}  // namespace
}  // namespace reelgrid::models
