#pragma once

#include <ATen/ATen.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/execution/part_clock.h"
#include "core/models/layers/linear.h"
#include "core/models/layers/shard_window.h"
#include "core/parallel/mesh.h"
#include "core/weights/layer_window.h"

namespace reelgrid::models {

/// Where the weights of a network's blocks lie while other blocks compute.
enum class BlockResidence {
    Held,      ///< on the device, all of them
    Windowed,  ///< in host memory; two at a time on the device (weights::LayerWindow)
    Streamed,  ///< in their file; each is loaded when it is its turn
    Sharded,   ///< each rank's part of each on its device, gathered one ahead (ShardWindow)
};

/// What a network's layers compute in.
struct BlockOptions {
    BlockResidence residence = BlockResidence::Held;
    LinearProducts products = LinearProducts::AsStored;
    int ranks = 1;                   ///< that have a part each of blocks that are sharded
    parallel::Mesh* mesh = nullptr;  ///< those ranks; whoever loads such blocks needs it
};

/// The blocks of a network in the order of a forward pass, a transformer's or a UNet's (unet/places.h). A
/// Block calls `eachTensor(visit)` for each of its parameters, defined or not, always in the same order, and
/// `eachLinear(visit)` for each product that the dtype decides.
template <class Block>
class Blocks {
  public:
    virtual ~Blocks() = default;
    [[nodiscard]] virtual int count() const = 0;
    /// The block, for all that is called until the next use(). Blocks are cheapest to use one after another.
    virtual const Block& use(int layer) = 0;
    /// Of the weights that stay on the device.
    [[nodiscard]] virtual std::uint64_t deviceBytes() const = 0;
    /// Whether use() may wait for other ranks.
    [[nodiscard]] virtual bool isShared() const { return false; }
};

/// The block; what is waited for until other ranks have sent their parts is a step's communication.
template <class Block>
const Block& useBlock(Blocks<Block>& blocks, int layer, execution::PartClock* parts) {
    const execution::PartScope scope(blocks.isShared() ? parts : nullptr, execution::Part::Communication);
    return blocks.use(layer);
}

/// How blocks come into being: each in what it is to compute in, on the device.
template <class Block>
struct BlockLoader {
    std::function<Block(int layer)> load;
    int count = 0;
    at::Device device = at::kCPU;
};

template <class Block>
std::vector<at::Tensor> tensorsOf(Block& block) {
    std::vector<at::Tensor> tensors;
    block.eachTensor([&](at::Tensor& tensor) {
        if (tensor.defined()) tensors.push_back(tensor);
    });
    return tensors;
}

/// Of one block's weights; of meta tensors what they would take.
template <class Block>
std::uint64_t bytesOf(Block& block) {
    std::uint64_t bytes = 0;
    for (const at::Tensor& tensor : tensorsOf(block)) bytes += tensor.nbytes();
    return bytes;
}

template <class Block>
class HeldBlocks final : public Blocks<Block> {
  public:
    explicit HeldBlocks(const BlockLoader<Block>& loader) {
        for (int layer = 0; layer < loader.count; ++layer) {
            m_blocks.push_back(loader.load(layer));
            m_blocks.back().eachLinear([](Linear& linear) { linear.pack(); });
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

/// Points the parameters of `block` at such tensors, as tensorsOf() gives them.
template <class Block>
void setTensors(Block& block, const std::vector<at::Tensor>& tensors) {
    std::size_t next = 0;
    block.eachTensor([&](at::Tensor& tensor) {
        if (tensor.defined()) tensor = tensors.at(next++);
    });
}

/// Every block twice, once for each of the two buffers that blocks take turns in.
template <class Block>
class BlocksInBuffers {
  public:
    /// The next block, whose parameters are kept elsewhere from now on.
    void add(Block block) {
        const at::Tensor none = at::empty({0});
        block.eachTensor([&](at::Tensor& tensor) {
            if (tensor.defined()) tensor = none;
        });
        for (std::vector<Block>& blocks : m_blocks) blocks.push_back(block);
    }
    /// Once all are there: `tensorsOf(buffer, layer)` are a block's while it is in the buffer.
    template <class TensorsOf>
    void layInto(const TensorsOf& tensorsOf) {
        for (std::size_t buffer = 0; buffer < m_blocks.size(); ++buffer)
            for (std::size_t layer = 0; layer < m_blocks[buffer].size(); ++layer)
                setTensors(m_blocks[buffer][layer], tensorsOf(buffer, static_cast<std::int64_t>(layer)));
    }
    [[nodiscard]] int count() const { return static_cast<int>(m_blocks.front().size()); }
    [[nodiscard]] const Block& at(std::size_t buffer, int layer) const {
        return m_blocks.at(buffer).at(static_cast<std::size_t>(layer));
    }

  private:
    std::array<std::vector<Block>, weights::LayerWindow::kSlots> m_blocks;
};

template <class Block>
class WindowedBlocks final : public Blocks<Block> {
  public:
    explicit WindowedBlocks(const BlockLoader<Block>& loader) : m_window(loader.device, packed(loader)) {
        m_blocks.layInto(
            [this](std::size_t slot, std::int64_t layer) { return m_window.tensorsOf(slot, layer); });
    }
    [[nodiscard]] int count() const override { return m_blocks.count(); }
    const Block& use(int layer) override { return m_blocks.at(m_window.use(layer), layer); }
    [[nodiscard]] std::uint64_t deviceBytes() const override {
        return weights::LayerWindow::kSlots * m_mostBytes;
    }

  private:
    /// Each block is loaded where it computes, in which conversions are fast, and taken back.
    weights::PackedLayers packed(const BlockLoader<Block>& loader) {
        weights::PackedLayers layers(loader.device, loader.count);
        for (int layer = 0; layer < loader.count; ++layer) {
            Block block = loader.load(layer);
            layers.add(tensorsOf(block));
            m_mostBytes = std::max(m_mostBytes, bytesOf(block));
            m_blocks.add(std::move(block));
        }
        return layers;
    }

    BlocksInBuffers<Block> m_blocks;
    std::uint64_t m_mostBytes = 0;  ///< of the largest block
    weights::LayerWindow m_window;
};

template <class Block>
class ShardedBlocks final : public Blocks<Block> {
  public:
    ShardedBlocks(const BlockLoader<Block>& loader, parallel::Communicator& ranks)
        : m_window(shards(loader, ranks)) {
        m_blocks.layInto([this](std::size_t slot, std::int64_t) { return m_window.tensorsOf(slot); });
    }
    [[nodiscard]] int count() const override { return m_blocks.count(); }
    const Block& use(int layer) override { return m_blocks.at(m_window.use(layer), layer); }
    [[nodiscard]] std::uint64_t deviceBytes() const override { return m_window.deviceBytes(); }
    [[nodiscard]] bool isShared() const override { return true; }

  private:
    static_assert(ShardWindow::kSlots == weights::LayerWindow::kSlots);
    /// Each rank loads each block whole and keeps its part. They have to be alike.
    LayerShards shards(const BlockLoader<Block>& loader, parallel::Communicator& ranks) {
        LayerShards layers(loader.device, ranks, loader.count);
        for (int layer = 0; layer < loader.count; ++layer) {
            Block block = loader.load(layer);
            layers.add(tensorsOf(block));
            m_blocks.add(std::move(block));
        }
        return layers;
    }

    BlocksInBuffers<Block> m_blocks;
    ShardWindow m_window;
};

template <class Block>
class StreamedBlocks final : public Blocks<Block> {
  public:
    explicit StreamedBlocks(BlockLoader<Block> loader) : m_loader(std::move(loader)) {}

    [[nodiscard]] int count() const override { return m_loader.count; }
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
    BlockLoader<Block> m_loader;
    std::optional<Block> m_block;
    int m_layer = -1;
    std::uint64_t m_bytes = 0;
};

/// What `loader` loads has to be there as long where blocks are streamed.
template <class Block>
std::unique_ptr<Blocks<Block>> makeBlocks(BlockLoader<Block> loader, const BlockOptions& options) {
    if (options.products != LinearProducts::AsStored)
        loader.load = [load = std::move(loader.load), products = options.products](int layer) {
            Block block = load(layer);
            block.eachLinear([&](Linear& linear) {
                products == LinearProducts::Fp8 ? linear.roundToFp8() : linear.roundToInt8();
            });
            return block;
        };
    switch (options.residence) {
        case BlockResidence::Windowed:
            return std::make_unique<WindowedBlocks<Block>>(loader);
        case BlockResidence::Streamed:
            return std::make_unique<StreamedBlocks<Block>>(std::move(loader));
        case BlockResidence::Sharded:
            return std::make_unique<ShardedBlocks<Block>>(loader, options.mesh->weights());
        default:
            return std::make_unique<HeldBlocks<Block>>(loader);
    }
}

}  // namespace reelgrid::models
