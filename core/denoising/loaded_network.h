#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "core/denoising/loaded_blocks.h"

namespace reelgrid::denoising {

/// A network of a checkpoint, a transformer or a UNet, with LoRAs merged in, and the files that it goes on
/// reading where its blocks are streamed. A Network has visitBlocks(), which takes every block's parameters
/// once.
template <class Network>
class LoadedNetwork {
  public:
    /// `make`(source) makes the network. Throws Failure naming the file and what is wrong with it.
    template <class Make>
    LoadedNetwork(std::unique_ptr<weights::LoraWeights> source, const std::vector<weights::Lora>& loras,
                  const LoadOptions& options, const Make& make)
        : LoadedNetwork(sourcesOf(std::move(source)), loras, options,
                        [&](const WeightSources& sources) { return make(*sources.front()); }) {}
    /// The same of a network whose parts are in several checkpoints: `make`(sources).
    template <class Make>
    LoadedNetwork(WeightSources sources, const std::vector<weights::Lora>& loras, const LoadOptions& options,
                  const Make& make)
        : m_sources(std::move(sources)), m_network(make(m_sources)) {
        m_sources = keptSources(std::move(m_sources), loras, options, [this] { m_network.visitBlocks(); });
    }

    Network& operator*() { return m_network; }
    const Network& operator*() const { return m_network; }
    Network* operator->() { return &m_network; }
    const Network* operator->() const { return &m_network; }

  private:
    static WeightSources sourcesOf(std::unique_ptr<weights::LoraWeights> source) {
        WeightSources sources;
        sources.push_back(std::move(source));
        return sources;
    }

    WeightSources m_sources;  ///< none once everything is loaded
    Network m_network;
};

}  // namespace reelgrid::denoising
