#include "core/comparison/comfy_graph.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace reelgrid::comparison {
namespace {

using nlohmann::json;

std::string graphText(const char* graph) {
    const auto origin = originOfGraph(json::parse(graph));
    return origin ? origin->text() : "(none)";
}

TEST(ComfyGraph, OfASamplerTellsModelSettingsAndPrompt) {
    const auto origin = originOfGraph(json::parse(R"({
        "3": {"class_type": "KSampler", "inputs": {"seed": 18446744073709551615, "steps": 20, "cfg": 6.0,
              "sampler_name": "euler", "scheduler": "simple", "denoise": 1.0, "model": ["48", 0],
              "positive": ["6", 0], "negative": ["7", 0], "latent_image": ["40", 0]}},
        "6": {"class_type": "CLIPTextEncode", "inputs": {"text": "a fox in the snow\n", "clip": ["38", 0]}},
        "7": {"class_type": "CLIPTextEncode", "inputs": {"text": "blurry", "clip": ["38", 0]}},
        "37": {"class_type": "UNETLoader", "inputs": {"unet_name": "wan\\wan2.1_t2v_1.3B.safetensors"}},
        "38": {"class_type": "CLIPLoader", "inputs": {"clip_name": "umt5.safetensors"}},
        "40": {"class_type": "EmptyHunyuanLatentVideo", "inputs": {"width": 832, "height": 480}},
        "48": {"class_type": "ModelSamplingSD3", "inputs": {"shift": 8, "model": ["49", 0]}},
        "49": {"class_type": "LoraLoaderModelOnly", "inputs": {"lora_name": "x", "model": ["37", 0]}}})"));
    ASSERT_TRUE(origin);
    EXPECT_EQ(origin->text(),
              "wan2.1_t2v_1.3B · euler simple · 20 steps · cfg 6 · seed 18446744073709551615");
    EXPECT_EQ(origin->prompt, "a fox in the snow");
}

TEST(ComfyGraph, OfACustomSamplerIsFollowedThroughItsNodes) {
    const auto origin = originOfGraph(json::parse(R"({
        "1": {"class_type": "SamplerCustomAdvanced", "inputs": {"noise": ["2", 0], "guider": ["3", 0],
              "sampler": ["4", 0], "sigmas": ["5", 0], "latent_image": ["9", 0]}},
        "2": {"class_type": "RandomNoise", "inputs": {"noise_seed": 7}},
        "3": {"class_type": "CFGGuider", "inputs": {"cfg": 3.5, "model": ["6", 0], "positive": ["7", 0]}},
        "4": {"class_type": "KSamplerSelect", "inputs": {"sampler_name": "res_multistep"}},
        "5": {"class_type": "BasicScheduler", "inputs": {"scheduler": "beta", "steps": 1, "model": ["6", 0]}},
        "6": {"class_type": "CheckpointLoaderSimple", "inputs": {"ckpt_name": "ltx.ckpt"}},
        "7": {"class_type": "ImageToVideo", "inputs": {"positive": ["8", 0]}},
        "8": {"class_type": "CLIPTextEncode", "inputs": {"text": ["10", 0]}},
        "10": {"class_type": "PrimitiveStringMultiline", "inputs": {"value": "a boat"}}})"));
    ASSERT_TRUE(origin);
    EXPECT_EQ(origin->text(), "ltx · res_multistep beta · 1 step · cfg 3.5 · seed 7");
    EXPECT_EQ(origin->prompt, "a boat");
}

TEST(ComfyGraph, OfTwoSamplersTellsTheFirst) {
    EXPECT_EQ(graphText(R"({
        "57": {"class_type": "KSamplerAdvanced", "inputs": {"noise_seed": 0, "steps": 30, "latent_image": ["58", 0]}},
        "58": {"class_type": "KSamplerAdvanced", "inputs": {"noise_seed": 5, "steps": 20, "latent_image": ["61", 0]}}
        })"),
              "20 steps · seed 5");
}

TEST(ComfyGraph, LeavesOutWhatIsMissingOrOfAnotherType) {
    EXPECT_EQ(
        graphText(R"({"1": {"class_type": "OtherSampler", "inputs": {"steps": 12, "seed": "x", "cfg": [],
                          "sampler_name": 4, "model": ["9", 0], "positive": ["1"]}}})"),
        "12 steps");
    EXPECT_EQ(graphText(R"({"1": {"class_type": "KSampler", "inputs": {"steps": -3, "seed": -1, "cfg": 1e300,
                          "scheduler": "karras", "model": [1, 0], "positive": null}}})"),
              "karras");
    EXPECT_EQ(
        graphText(R"({"1": {"class_type": "KSampler", "inputs": {"steps": 2.5, "seed": 1.5, "cfg": 4}}})"),
        "cfg 4");
}

TEST(ComfyGraph, ThatIsNoneGivesNothing) {
    for (const char* graph :
         {"null", "[]", "7", "\"x\"", "{}", R"({"nodes": [], "links": []})", R"({"1": 5, "2": [], "3": "x"})",
          R"({"1": {"class_type": "KSampler"}})", R"({"1": {"class_type": "KSampler", "inputs": []}})",
          R"({"1": {"class_type": 3, "inputs": {"text": "no sampler"}}})",
          R"({"1": {"class_type": "KSampler", "inputs": {}}})"})
        EXPECT_EQ(graphText(graph), "(none)") << graph;
}

TEST(ComfyGraph, WithLinksInCirclesEnds) {
    EXPECT_EQ(graphText(R"({
        "1": {"class_type": "KSampler", "inputs": {"steps": 3, "model": ["2", 0], "positive": ["3", 0], "latent_image": ["4", 0]}},
        "2": {"class_type": "A", "inputs": {"model": ["1", 0]}},
        "3": {"class_type": "B", "inputs": {"positive": ["3", 0], "text": ["3", 0]}},
        "4": {"class_type": "KSampler", "inputs": {"latent_image": ["1", 0]}}})"),
              "3 steps");
    json chain;
    for (int i = 0; i < 9'999; ++i)
        chain[std::to_string(i)] = {{"class_type", "KSampler"},
                                    {"inputs",
                                     {{"model", {std::to_string((i + 1) % 9'999), 0}},
                                      {"latent_image", {std::to_string((i + 1) % 9'999), 0}}}}};
    EXPECT_FALSE(originOfGraph(chain));
    chain["0"]["inputs"]["steps"] = 4;
    EXPECT_TRUE(originOfGraph(chain));
    chain["more"] = chain["further"] = json::object();
    EXPECT_FALSE(originOfGraph(chain)) << "too many nodes";
}

TEST(ComfyGraph, WithLongTextsIsShownShortened) {
    json graph = json::parse(
        R"({"1": {"class_type": "KSampler", "inputs": {"positive": ["2", 0]}}, "2": {"inputs": {}}})");
    std::string umlauts;
    for (int i = 0; i < 5'000; ++i) umlauts += "ö";
    graph["1"]["inputs"]["sampler_name"] = "line\nbreak " + umlauts;
    graph["2"]["inputs"]["text"] = "x" + umlauts;
    const auto origin = originOfGraph(graph);
    ASSERT_TRUE(origin);
    EXPECT_TRUE(origin->sampler.starts_with("line break ö"));
    EXPECT_LE(origin->sampler.size(), 64U);
    EXPECT_TRUE(origin->sampler.ends_with("ö…"));
    EXPECT_EQ(origin->prompt.size(), ClipOrigin::kMaxPromptBytes - 1);
}

}  // namespace
}  // namespace reelgrid::comparison
