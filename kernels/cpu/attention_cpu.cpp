#include "kernels/cpu/attention_cpu.h"

#include <omp.h>

#include <algorithm>
#include <array>
#include <memory>
#include <new>

#include "kernels/cpu/tile_kernels.h"

namespace reelgrid::kernels::cpu {
namespace {

struct FreeAligned {
    void operator()(void* p) const { ::operator delete (p, std::align_val_t{64}); }
};
/// Memory for one purpose, kept by the calling thread between calls: fresh pages from the system would cost a
/// short call a tenth of its time. Large ones are given back after the call.
class Workspace {
  public:
    static constexpr std::size_t kKeptBytes = std::size_t{16} << 20;

    template <class T>
    T* take(std::int64_t count) {
        const auto bytes = static_cast<std::size_t>(std::max<std::int64_t>(count, 1)) * sizeof(T);
        if (bytes > m_bytes) {
            m_memory.reset();
            m_bytes = 0;
            m_memory.reset(::operator new (bytes, std::align_val_t{64}));
            m_bytes = bytes;
        }
        return static_cast<T*>(m_memory.get());
    }
    void giveBackIfLarge() {
        if (m_bytes <= kKeptBytes) return;
        m_memory.reset();
        m_bytes = 0;
    }

  private:
    std::unique_ptr<void, FreeAligned> m_memory;
    std::size_t m_bytes = 0;
};

enum Purpose { PackedKeys, PackedValues, Scratch, Means, Sums, KeyScales, Bias, QueryScales, PurposeCount };
thread_local std::array<Workspace, PurposeCount> t_workspaces;

TileKernels kernelsFor(InstructionSet set, Method method, DataType type) {
#if defined(REELGRID_X86_KERNELS)
    if (set == InstructionSet::Avx512) return avx512Kernels(method, type);
    if (set == InstructionSet::Avx2) return avx2Kernels(method, type);
#endif
    static_cast<void>(set);
    return portableKernels(method, type);
}

std::int64_t ceilDiv(std::int64_t a, std::int64_t b) {
    return (a + b - 1) / b;
}

/// Memory that packed keys and values may take at once: several heads share a round of the thread team (fewer
/// barriers, better balance) while long sequences go head by head.
constexpr std::int64_t kPackedBytes = std::int64_t{64} << 20;

/// Runs one problem: packs a group of key heads, then hands tiles of their queries to the threads.
class Schedule {
  public:
    Schedule(const AttentionProblem& problem, Method method)
        : m_p(problem),
          m_method(method),
          m_kernels(kernelsFor(selectedInstructionSet(), method, problem.type)),
          m_paddedDim(static_cast<int>(ceilDiv(problem.headDim, kDimGrain)) * kDimGrain),
          m_blocks(ceilDiv(problem.keys, kBlockKeys)),
          m_scales(ceilDiv(problem.queries, kScaleQueries)),
          m_headsPerKeyHead(problem.queryHeads / problem.keyHeads),
          m_threads(problem.threads > 0 ? problem.threads : omp_get_max_threads()) {
        m_keyBlockUnits = std::int64_t{kBlockKeys} * m_paddedDim / m_kernels.dimsPerUnit;
        m_valueBlockUnits = std::int64_t{kBlockKeys} * m_paddedDim / m_kernels.keysPerUnit;
        const std::int64_t headBytes = m_blocks * (m_keyBlockUnits + m_valueBlockUnits) * 4;
        m_group = std::clamp<std::int64_t>(kPackedBytes / std::max<std::int64_t>(headBytes, 1), 1,
                                           problem.batch * problem.keyHeads);
        // Full tiles are fastest per query; shorter ones keep every thread busy when there are few queries.
        const std::int64_t tiles = std::max<std::int64_t>(
            ceilDiv(problem.queries, m_kernels.tileQueries),
            ceilDiv(m_threads, std::max<std::int64_t>(1, problem.batch * problem.queryHeads)));
        const std::int64_t lanes = m_kernels.tileQueries / 3;
        m_tileQueries = static_cast<int>(std::min<std::int64_t>(
            m_kernels.tileQueries, ceilDiv(ceilDiv(problem.queries, tiles), lanes) * lanes));
        m_packedKeys = t_workspaces[PackedKeys].take<std::uint32_t>(m_group * m_blocks * m_keyBlockUnits);
        m_packedValues =
            t_workspaces[PackedValues].take<std::uint32_t>(m_group * m_blocks * m_valueBlockUnits);
        m_scratch = t_workspaces[Scratch].take<float>(m_threads * kScratch);
        if (m_method == Method::Sage1) {
            m_means = t_workspaces[Means].take<float>(m_group * m_paddedDim);
            m_sums = t_workspaces[Sums].take<float>(m_group * m_blocks * m_paddedDim);
            m_keyScales = t_workspaces[KeyScales].take<float>(m_group * m_blocks);
            m_bias = t_workspaces[Bias].take<std::int32_t>(m_group * m_blocks * kBlockKeys);
            m_queryScales = t_workspaces[QueryScales].take<float>(m_group * m_headsPerKeyHead * m_scales);
        }
    }

    ~Schedule() {
        for (auto& workspace : t_workspaces) workspace.giveBackIfLarge();
    }
    Schedule(const Schedule&) = delete;
    Schedule& operator=(const Schedule&) = delete;

    void run() {
        const std::int64_t keyHeads = m_p.batch * m_p.keyHeads;
        for (std::int64_t first = 0; first < keyHeads; first += m_group)
            runGroup(first, std::min(m_group, keyHeads - first));
    }

  private:
    static constexpr std::int64_t kScratch =
        static_cast<std::int64_t>((std::max(kPackScratch, kTileScratch) + 15) / 16 * 16);

    /// `first` and `heads` count key heads over the whole batch.
    void runGroup(std::int64_t first, std::int64_t heads) {
        const std::int64_t queryHeads = heads * m_headsPerKeyHead;
        const std::int64_t tiles = ceilDiv(m_p.queries, m_tileQueries);
#pragma omp parallel num_threads(m_threads)
        {
            float* scratch = m_scratch + omp_get_thread_num() * kScratch;
            if (m_method == Method::Sage1) {
#pragma omp for schedule(static)
                for (std::int64_t i = 0; i < heads * m_blocks; ++i) sumBlock(first, i, scratch);
#pragma omp for schedule(static)
                for (std::int64_t i = 0; i < heads; ++i) meanOfHead(i);
#pragma omp for schedule(static)
                for (std::int64_t i = 0; i < queryHeads * m_scales; ++i) scaleQueries(first, i, scratch);
            }
#pragma omp for schedule(static)
            for (std::int64_t i = 0; i < heads * m_blocks; ++i) packBlock(first, i, scratch);
                // The last tiles of a causal mask are the longest: hand them out first.
#pragma omp for schedule(dynamic, 1)
            for (std::int64_t i = 0; i < queryHeads * tiles; ++i)
                attendTile(first, i / tiles, tiles - 1 - i % tiles, scratch);
        }
    }

    [[nodiscard]] const char* row(const void* base, const Strides& s, std::int64_t b, std::int64_t head,
                                  std::int64_t token) const {
        return static_cast<const char*>(base) +
               (b * s.batch + head * s.head + token * s.token) * sizeOf(m_p.type);
    }

    PackArgs blockOf(const void* base, const Strides& strides, std::int64_t keyHead, std::int64_t block,
                     float* scratch) const {
        PackArgs args;
        args.type = m_p.type;
        args.rows = row(base, strides, keyHead / m_p.keyHeads, keyHead % m_p.keyHeads, block * kBlockKeys);
        args.rowStride = strides.token;
        args.count = static_cast<int>(std::min<std::int64_t>(kBlockKeys, m_p.keys - block * kBlockKeys));
        args.dim = static_cast<int>(m_p.headDim);
        args.paddedDim = m_paddedDim;
        args.scratch = scratch;
        return args;
    }

    void sumBlock(std::int64_t first, std::int64_t index, float* scratch) {
        const PackArgs args =
            blockOf(m_p.k, m_p.kStrides, first + index / m_blocks, index % m_blocks, scratch);
        m_kernels.sumRows(args, m_sums + index * m_paddedDim);
    }

    void meanOfHead(std::int64_t head) {
        // In float64 and always in this order: the mean is the same on any machine with any number of
        // threads.
        for (int d = 0; d < m_paddedDim; ++d) {
            double sum = 0;
            for (std::int64_t block = 0; block < m_blocks; ++block)
                sum += static_cast<double>(
                    m_sums[static_cast<std::size_t>((head * m_blocks + block) * m_paddedDim + d)]);
            m_means[static_cast<std::size_t>(head * m_paddedDim + d)] =
                static_cast<float>(sum / static_cast<double>(m_p.keys));
        }
    }

    void scaleQueries(std::int64_t first, std::int64_t index, float* scratch) {
        const std::int64_t head = first * m_headsPerKeyHead + index / m_scales;
        const std::int64_t firstQuery = index % m_scales * kScaleQueries;
        PackArgs args;
        args.type = m_p.type;
        args.rows = row(m_p.q, m_p.qStrides, head / m_p.queryHeads, head % m_p.queryHeads, firstQuery);
        args.rowStride = m_p.qStrides.token;
        args.count = static_cast<int>(std::min<std::int64_t>(kScaleQueries, m_p.queries - firstQuery));
        args.dim = static_cast<int>(m_p.headDim);
        args.paddedDim = m_paddedDim;
        args.scratch = scratch;
        m_queryScales[static_cast<std::size_t>(index)] = m_kernels.scaleOfRows(args, m_p.scale * kLog2E);
    }

    void packBlock(std::int64_t first, std::int64_t index, float* scratch) {
        const std::int64_t keyHead = first + index / m_blocks;
        PackArgs keys = blockOf(m_p.k, m_p.kStrides, keyHead, index % m_blocks, scratch);
        keys.units = m_packedKeys + index * m_keyBlockUnits;
        if (m_method == Method::Sage1) {
            keys.mean = m_means + index / m_blocks * m_paddedDim;
            keys.scale = m_keyScales + index;
            keys.bias = m_bias + index * kBlockKeys;
        }
        m_kernels.packKeys(keys);
        PackArgs values = blockOf(m_p.v, m_p.vStrides, keyHead, index % m_blocks, scratch);
        values.units = m_packedValues + index * m_valueBlockUnits;
        m_kernels.packValues(values);
    }

    void attendTile(std::int64_t first, std::int64_t groupHead, std::int64_t tile, float* scratch) {
        const std::int64_t queryHead = first * m_headsPerKeyHead + groupHead;
        const std::int64_t groupKeyHead = groupHead / m_headsPerKeyHead;
        const std::int64_t b = queryHead / m_p.queryHeads;
        const std::int64_t h = queryHead % m_p.queryHeads;
        TileArgs args;
        args.type = m_p.type;
        args.firstQuery = tile * m_tileQueries;
        args.count = static_cast<int>(std::min<std::int64_t>(m_tileQueries, m_p.queries - args.firstQuery));
        args.q = row(m_p.q, m_p.qStrides, b, h, args.firstQuery);
        args.qStride = m_p.qStrides.token;
        args.out = static_cast<char*>(m_p.out) + (b * m_p.outStrides.batch + h * m_p.outStrides.head +
                                                  args.firstQuery * m_p.outStrides.token) *
                                                     sizeOf(m_p.type);
        args.outStride = m_p.outStrides.token;
        if (m_p.lse != nullptr) args.lse = m_p.lse + queryHead * m_p.queries + args.firstQuery;
        args.dim = static_cast<int>(m_p.headDim);
        args.paddedDim = m_paddedDim;
        args.keys = m_p.keys;
        args.causal = m_p.mask == Mask::Causal;
        args.causalOffset = m_p.keys - m_p.queries;
        args.scale = m_p.scale;
        args.packedKeys = m_packedKeys + groupKeyHead * m_blocks * m_keyBlockUnits;
        args.packedValues = m_packedValues + groupKeyHead * m_blocks * m_valueBlockUnits;
        args.scratch = scratch;
        if (m_method == Method::Sage1) {
            args.queryScales = m_queryScales + groupHead * m_scales;
            args.keyScales = m_keyScales + groupKeyHead * m_blocks;
            args.keyBias = m_bias + groupKeyHead * m_blocks * kBlockKeys;
            args.keyMean = m_means + groupKeyHead * m_paddedDim;
        }
        m_kernels.attend(args);
    }

    const AttentionProblem& m_p;
    Method m_method;
    TileKernels m_kernels;
    int m_paddedDim;
    std::int64_t m_blocks;  ///< of keys, per head
    std::int64_t m_scales;  ///< query scales per head
    std::int64_t m_headsPerKeyHead;
    int m_threads;
    int m_tileQueries = 0;
    std::int64_t m_keyBlockUnits = 0;
    std::int64_t m_valueBlockUnits = 0;
    std::int64_t m_group = 1;  ///< key heads per round
    std::uint32_t* m_packedKeys = nullptr;
    std::uint32_t* m_packedValues = nullptr;
    float* m_scratch = nullptr;
    float* m_means = nullptr;
    float* m_sums = nullptr;
    float* m_keyScales = nullptr;
    std::int32_t* m_bias = nullptr;
    float* m_queryScales = nullptr;
};

}  // namespace

void fav2(const AttentionProblem& problem) {
    Schedule(problem, Method::Flash).run();
}

void fav3(const AttentionProblem& problem) {
    Schedule(problem, Method::Flash3).run();
}

void sageV1(const AttentionProblem& problem) {
    Schedule(problem, Method::Sage1).run();
}

}  // namespace reelgrid::kernels::cpu
