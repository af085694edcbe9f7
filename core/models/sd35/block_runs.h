#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "core/models/layers/blocks.h"
#include "core/models/sd35/block.h"

namespace reelgrid::models::sd35 {

/// Layers that have the same parameters: those with dual attention, those without, the last.
struct LayerRun {
    std::int64_t first = 0, count = 0;
};
std::vector<LayerRun> layerRuns(const Sd35TransformerConfig& config);

/// The blocks in the order of a forward pass; windows and buffers hold layers that are alike.
class BlockRuns final : public Blocks<Block> {
  public:
    BlockRuns(const Sd35TransformerConfig& config, const weights::WeightScope& scope,
              const BlockOptions& options);

    [[nodiscard]] int count() const override { return m_count; }
    const Block& use(int layer) override;
    [[nodiscard]] std::uint64_t deviceBytes() const override;

  private:
    struct Run {
        int first;
        std::unique_ptr<Blocks<Block>> blocks;
    };
    int m_count = 0;
    std::vector<Run> m_runs;
};

/// Of the blocks' weights that lie on the device where the options put them.
std::uint64_t blockRunBytes(const Sd35TransformerConfig& config, at::ScalarType dtype, at::Device device,
                            const BlockOptions& options);

}  // namespace reelgrid::models::sd35
