#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "core/denoising/loaded_blocks.h"

namespace reelgrid::denoising {

/// A transformer of a checkpoint with LoRAs merged in, and the files that it goes on reading where its blocks
/// are streamed. A Transformer has visitBlocks(), which takes every block's parameters once.
template <class Transformer>
class LoadedTransformer {
  public:
    /// `make`(source) makes the transformer. Throws Failure naming the file and what is wrong with it.
    template <class Make>
    LoadedTransformer(std::unique_ptr<weights::LoraWeights> source, const std::vector<weights::Lora>& loras,
                      const LoadOptions& options, const Make& make)
        : m_source(std::move(source)), m_transformer(make(*m_source)) {
        m_source = keptSource(std::move(m_source), loras, options, [this] { m_transformer.visitBlocks(); });
    }

    Transformer& operator*() { return m_transformer; }
    Transformer* operator->() { return &m_transformer; }
    const Transformer* operator->() const { return &m_transformer; }

  private:
    std::unique_ptr<weights::LoraWeights> m_source;  ///< null once everything is loaded
    Transformer m_transformer;
};

}  // namespace reelgrid::denoising
