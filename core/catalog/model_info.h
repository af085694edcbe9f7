#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace reelgrid::catalog {

/// What a render gets where its request says nothing.
struct RenderDefaults {
    std::string task = "t2v";
    int width = 832;
    int height = 480;
    int numFrames = 81;
    double fps = 16;
    int numInferenceSteps = 50;
    double guidanceScale = 5.0;
    std::string negativePrompt;
};

/// What sizes the model's patches and strides allow.
struct SizeRules {
    int sizeMultiple = 16;  ///< of width and height: VAE stride × patch
    int maxSize = 16384;    ///< of width and height: rotary table length × sizeMultiple
    int frameStride = 4;    ///< numFrames = frameStride·k + 1
    int maxFrames = 4093;
};

struct ComponentInfo {
    std::string name;       ///< folder: transformer, text_encoder, vae, tokenizer, scheduler
    std::string className;  ///< as model_index.json names it
    std::uint64_t bytes = 0;
    std::int64_t parameters = 0;      ///< elements of all stored tensors; 0 for components without weights
    std::vector<std::string> dtypes;  ///< as stored: F32, BF16, …
};

struct ModelInfo {
    std::string id;      ///< "demo", the hub id, or the folder as it was given
    std::string title;   ///< for people
    std::string family;  ///< "wan2.1"
    std::filesystem::path folder;
    std::vector<std::string> tasks;
    RenderDefaults defaults;
    SizeRules sizes;
    int layers = 40;  ///< attention blocks of the transformer
    std::vector<ComponentInfo> components;

    [[nodiscard]] std::uint64_t bytes() const {
        std::uint64_t sum = 0;
        for (const ComponentInfo& component : components) sum += component.bytes;
        return sum;
    }
};

}  // namespace reelgrid::catalog
