#pragma once

#include <filesystem>
#include <memory>

#include "core/models/cogvideox/transformer.h"
#include "core/pipeline/video_model.h"
#include "core/weights/lora.h"

namespace reelgrid::models::cogvideox {

/// Where the options put the blocks, and what they multiply.
BlockOptions blockOptions(const pipeline::LoadOptions& options);

/// A checkpoint's transformer with its LoRAs, and the files that it goes on reading where its blocks are
/// streamed.
class LoadedTransformer {
  public:
    /// Throws Failure naming the file and what is wrong with it.
    LoadedTransformer(const std::filesystem::path& folder, const pipeline::LoadOptions& options);

    CogVideoXTransformer& operator*() { return m_transformer; }
    CogVideoXTransformer* operator->() { return &m_transformer; }
    const CogVideoXTransformer* operator->() const { return &m_transformer; }

  private:
    std::unique_ptr<weights::LoraWeights> m_source;
    CogVideoXTransformer m_transformer;
};

}  // namespace reelgrid::models::cogvideox
