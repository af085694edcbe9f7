#include "core/models/wan/blocks.h"

#include <optional>
#include <vector>

#include "core/weights/layer_window.h"

namespace reelgrid::models::wan {
namespace {

std::vector<at::Tensor> tensorsOf(Block& block) {
    std::vector<at::Tensor> tensors;
    block.eachTensor([&](at::Tensor& tensor) {
        if (tensor.defined()) tensors.push_back(tensor);
    });
    return tensors;
}

std::uint64_t bytesOf(Block& block) {
    std::uint64_t bytes = 0;
    for (const at::Tensor& tensor : tensorsOf(block)) bytes += tensor.nbytes();
    return bytes;
}

/// Loads blocks, in what they are to compute in.
class BlockLoader {
  public:
    BlockLoader(const WanTransformerConfig& config, const weights::WeightScope& scope,
                const BlockOptions& options)
        : m_config(config), m_scope(scope), m_options(options) {}

    [[nodiscard]] Block load(int layer) const {
        Block block(m_config, m_scope / layer, layer);
        if (m_options.products == LinearProducts::Fp8)
            block.eachLinear([](Linear& linear) { linear.roundToFp8(); });
        return block;
    }
    [[nodiscard]] int count() const { return static_cast<int>(m_config.numLayers); }
    [[nodiscard]] at::Device device() const { return m_scope.device(); }

  private:
    WanTransformerConfig m_config;
    weights::WeightScope m_scope;
    BlockOptions m_options;
};

class HeldBlocks final : public Blocks {
  public:
    explicit HeldBlocks(const BlockLoader& loader) {
        for (int layer = 0; layer < loader.count(); ++layer) {
            m_blocks.push_back(loader.load(layer));
            m_bytes += bytesOf(m_blocks.back());
        }
    }
    [[nodiscard]] int count() const override { return static_cast<int>(m_blocks.size()); }
    const Block& use(int layer) override { return m_blocks.at(static_cast<std::size_t>(layer)); }
    [[nodiscard]] std::uint64_t deviceBytes() const override { return m_bytes; }

  private:
    std::vector<Block> m_blocks;
    std::uint64_t m_bytes = 0;
};

class WindowedBlocks final : public Blocks {
  public:
    explicit WindowedBlocks(const BlockLoader& loader)
        : m_count(loader.count()), m_window(loader.device(), packed(loader, m_slots)) {
        for (std::size_t slot = 0; slot < m_slots.size(); ++slot) {
            const std::vector<at::Tensor> views = m_window.tensorsOf(slot);
            std::size_t next = 0;
            m_slots[slot].eachTensor([&](at::Tensor& tensor) {
                if (tensor.defined()) tensor = views.at(next++);
            });
            m_bytes += bytesOf(m_slots[slot]);
        }
    }
    [[nodiscard]] int count() const override { return m_count; }
    const Block& use(int layer) override {
        Block& block = m_slots[m_window.use(layer)];
        block.setLayer(layer);
        return block;
    }
    [[nodiscard]] std::uint64_t deviceBytes() const override { return m_bytes; }

  private:
    /// Each block is loaded where it computes, in which conversions are fast, and taken back.
    static weights::PackedLayers packed(const BlockLoader& loader, std::vector<Block>& slots) {
        weights::PackedLayers layers(loader.device(), loader.count());
        for (int layer = 0; layer < loader.count(); ++layer) {
            Block block = loader.load(layer);
            layers.add(tensorsOf(block));
            if (layer == 0) slots.assign(weights::LayerWindow::kSlots, block);
        }
        return layers;
    }

    int m_count;
    std::vector<Block> m_slots;
    weights::LayerWindow m_window;
    std::uint64_t m_bytes = 0;
};

class StreamedBlocks final : public Blocks {
  public:
    explicit StreamedBlocks(BlockLoader loader) : m_loader(std::move(loader)) {}

    [[nodiscard]] int count() const override { return m_loader.count(); }
    const Block& use(int layer) override {
        if (m_block && m_layer == layer) return *m_block;
        m_block.reset();  // its pages go before the next one's come
        m_block.emplace(m_loader.load(layer));
        m_layer = layer;
        m_bytes = bytesOf(*m_block);
        return *m_block;
    }
    [[nodiscard]] std::uint64_t deviceBytes() const override { return m_bytes; }

  private:
    BlockLoader m_loader;
    std::optional<Block> m_block;
    int m_layer = -1;
    std::uint64_t m_bytes = 0;
};

}  // namespace

std::unique_ptr<Blocks> loadBlocks(const WanTransformerConfig& config, const weights::WeightScope& scope,
                                   const BlockOptions& options) {
    const BlockLoader loader(config, scope, options);
    switch (options.residence) {
        case BlockResidence::Windowed:
            return std::make_unique<WindowedBlocks>(loader);
        case BlockResidence::Streamed:
            return std::make_unique<StreamedBlocks>(loader);
        default:
            return std::make_unique<HeldBlocks>(loader);
    }
}

}  // namespace reelgrid::models::wan
