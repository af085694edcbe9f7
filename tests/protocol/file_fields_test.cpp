#include "core/protocol/file_fields.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "core/protocol/render_request.h"

namespace reelgrid::protocol {
namespace {

using nlohmann::json;

std::string refusal(const std::string& key, const std::string& name, const json& value) {
    const auto filled = refuseEmptyText(key, name, value);
    if (filled) return "";
    EXPECT_EQ(filled.error().code, ErrorCode::BadUsage);
    return filled.error().message;
}

TEST(FileFields, TextsAreNeededButOfPrompts) {
    for (const char* key : {"model", "task", "scheduler", "dtype", "device", "generator", "vae",
                            "capture_layers", "capture_steps", "attention_type", "lora", "lockstep"})
        EXPECT_TRUE(needsText(key)) << key;
    for (const char* key : {"prompt", "negative_prompt", "prompt_2", "negative_prompt_3", "prompt_travel",
                            "seed", "num_frames", "save_inputs", "attention_policy", "step_cache", "nope"})
        EXPECT_FALSE(needsText(key)) << key;
}

TEST(FileFields, EmptyTextsAreRefusedByTheFilesOwnName) {
    EXPECT_EQ(refusal("dtype", "dtype", ""), "dtype \"\": some text was needed");
    EXPECT_EQ(refusal("attention_type", "types", json::array({"sdpa", ""})),
              "types [\"sdpa\",\"\"]: a list without empty texts was needed");
    EXPECT_EQ(refusal("lora", "lora", json::array({json::array({"a.safetensors"}), json::array({""})})),
              "lora [[\"a.safetensors\"],[\"\"]]: a list without empty texts was needed");
    EXPECT_EQ(refusal("prompt", "prompts", json::array({""})), "");
    EXPECT_EQ(refusal("dtype", "dtype", json::array({nullptr, "fp32"})), "") << "null: not given";
    EXPECT_EQ(refusal("lora", "lora", json::array()), "");
    EXPECT_EQ(refusal("num_frames", "num_frames", ""), "") << "the request's reader says what it needs";
}

TEST(FileFields, ARequestsReaderKeepsEmptyTextsOfEarlierManifests) {
    const auto read = renderRequestFromJson({{"dtype", ""}, {"capture_layers", ""}, {"input_dir", ""}});
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->dtype, "");
}

TEST(FileFields, ErrorsCallThemByTheirKeys) {
    const auto said = [](const std::string& message) {
        const Error error = withKeys({ErrorCode::Unsupported, message});
        EXPECT_EQ(error.code, ErrorCode::Unsupported);
        return error.message;
    };
    EXPECT_EQ(said("--scheduler ddim: euler was needed"), "scheduler ddim: euler was needed");
    EXPECT_EQ(said("--force-output-size: --picture-fit is stretch"),
              "force_output_size: picture_fit is stretch");
    EXPECT_EQ(said("--guidance-scale-2 101 (--model x)"), "guidance_scale_2 101 (model x)");
    EXPECT_EQ(said("a--scheduler, --nproc, é --seed"), "a--scheduler, --nproc, é seed");
    EXPECT_EQ(said(""), "");
    EXPECT_EQ(said("-- --"), "-- --");
}

TEST(FileFields, WhatAFileSaysIsTheRequestsFault) {
    const Error said = asBadUsage({ErrorCode::InvalidData, "a.json: not JSON"});
    EXPECT_EQ(said.code, ErrorCode::BadUsage);
    EXPECT_EQ(said.message, "a.json: not JSON");
    EXPECT_EQ(asBadUsage({ErrorCode::NotFound, "a.json: no such file"}).code, ErrorCode::NotFound);
}

}  // namespace
}  // namespace reelgrid::protocol
