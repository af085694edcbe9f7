#include "kernels/cuda/attention/sparse/grid_maps.cuh"

#include <cuda_runtime.h>

#include <algorithm>
#include <list>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/attention/method_options.h"

namespace reelgrid::kernels::cuda::device {
namespace {

void require(cudaError_t error, const char* what) {
    if (error != cudaSuccess)
        throw std::runtime_error(std::string("a map of kept blocks could not be ") + what + ": " +
                                 cudaGetErrorString(error));
}

/// Integers in memory of the device.
class DeviceIntegers {
  public:
    explicit DeviceIntegers(const std::vector<std::int32_t>& values) {
        const std::size_t bytes = values.size() * sizeof(std::int32_t);
        require(cudaMalloc(&m_data, bytes), "given memory");
        const cudaError_t error = cudaMemcpy(m_data, values.data(), bytes, cudaMemcpyHostToDevice);
        if (error != cudaSuccess) cudaFree(m_data);
        require(error, "copied");
    }
    DeviceIntegers(const DeviceIntegers&) = delete;
    DeviceIntegers& operator=(const DeviceIntegers&) = delete;
    ~DeviceIntegers() { cudaFree(m_data); }

    [[nodiscard]] const std::int32_t* data() const { return static_cast<const std::int32_t*>(m_data); }

  private:
    void* m_data = nullptr;
};

/// The map and the memory that it lies in.
class KeptGridMap {
  public:
    KeptGridMap(const GridMap& map, int queryBlocks, int keyBlocks) {
        std::vector<std::int32_t> counts;
        for (int row = 0; row < queryBlocks; ++row)
            counts.push_back(static_cast<std::int32_t>(map.keysOf(row).size()));
        const std::int32_t pitch = std::ranges::max(counts);
        std::vector<std::int32_t> blocks(static_cast<std::size_t>(queryBlocks) *
                                         static_cast<std::size_t>(pitch));
        for (int row = 0; row < queryBlocks; ++row)
            std::ranges::copy(map.keysOf(row), blocks.begin() + std::ptrdiff_t{row} * pitch);
        this->map = {
            .kept = {.blocks = put(blocks), .counts = put(counts), .pitch = pitch, .rows = queryBlocks},
            .places = {.order = map.order().empty() ? nullptr : put(map.order())},
            .rows = queryBlocks,
            .keyBlocks = keyBlocks};
    }

    GridMapOnDevice map;

  private:
    const std::int32_t* put(const std::vector<std::int32_t>& values) {
        return m_memory.emplace_back(values).data();
    }

    std::list<DeviceIntegers> m_memory;
};

/// What maps are told apart by.
struct Place {
    int device;
    Method method;
    TokenGrid grid;
    std::vector<OptionValue> options;

    bool operator==(const Place&) const = default;
};

/// The latest at the front. Thread-safe.
class GridMaps {
  public:
    std::shared_ptr<const GridMapOnDevice> of(const Place& place, const AttentionProblem& problem) {
        const std::scoped_lock lock(m_mutex);
        auto found = std::ranges::find(m_maps, place, &Entry::place);
        if (found == m_maps.end()) {
            const SparseBlocks blocks = traitsOf(place.method, static_cast<int>(problem.headDim)).sparse;
            const auto parts = [](std::int64_t tokens, int each) {
                return static_cast<int>((tokens + each - 1) / each);
            };
            m_maps.push_front({place, std::make_shared<KeptGridMap>(gridMapOf(place.method, problem),
                                                                    parts(problem.queries, blocks.queries),
                                                                    parts(problem.keys, blocks.keys))});
            if (m_maps.size() > kMost) m_maps.pop_back();
        } else {
            m_maps.splice(m_maps.begin(), m_maps, found);
        }
        const auto& map = m_maps.front().map;
        return {map, &map->map};
    }

  private:
    static constexpr std::size_t kMost = 64;

    struct Entry {
        Place place;
        std::shared_ptr<const KeptGridMap> map;
    };

    std::mutex m_mutex;
    std::list<Entry> m_maps;
};

}  // namespace

std::shared_ptr<const GridMapOnDevice> gridMapOn(Method method, const AttentionProblem& problem) {
    // Never destroyed: at the process's end the driver may be gone.
    static GridMaps& maps = *new GridMaps;
    int device = 0;
    require(cudaGetDevice(&device), "placed");
    const auto& options = problem.context.options;
    return maps.of({device, method, problem.context.grid, {options.begin(), options.end()}}, problem);
}

}  // namespace reelgrid::kernels::cuda::device
