#include "kernels/cuda/attention/hopper/tensor_map.cuh"
#include "kernels/cuda/attention/launch_attention.cuh"
#include "kernels/cuda/int8/wgmma_product.cuh"

namespace reelgrid::kernels::cuda::device {
namespace {

CUtensorMap bytesMap(const void* data, int rows, int columns, int boxRows) {
    return swizzledMap<2>(CU_TENSOR_MAP_DATA_TYPE_UINT8, data,
                          {static_cast<cuuint64_t>(columns), static_cast<cuuint64_t>(rows)},
                          {static_cast<cuuint64_t>(columns)},
                          {static_cast<cuuint32_t>(kInt8Block), static_cast<cuuint32_t>(boxRows)});
}

/// Clusters that run at a time.
template <class Kernel>
int clustersAtOnce(Kernel* kernel, int blocks, int threads, int sharedBytes) {
    cudaLaunchAttribute cluster{};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {static_cast<unsigned>(blocks), 1, 1};
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(static_cast<unsigned>(processors() / blocks * blocks));
    config.blockDim = dim3(static_cast<unsigned>(threads));
    config.dynamicSmemBytes = static_cast<std::size_t>(sharedBytes);
    config.attrs = &cluster;
    config.numAttrs = 1;
    int count = 0;
    const cudaError_t error = cudaOccupancyMaxActiveClusters(&count, kernel, &config);
    if (error != cudaSuccess || count == 0)
        throw std::runtime_error("no cluster of " + std::to_string(blocks) +
                                 " blocks for int8 products runs here: " + cudaGetErrorString(error));
    return count;
}

template <class Element>
void multiply(const Int8Product& call, void* stream) {
    using Config = Int8WgmmaConfig<Element>;
    const Int8Extents extents(call);
    const auto tilesOf = [](int side, int each) { return (side + each - 1) / each; };
    const Int8WgmmaCall queued{.extents = extents,
                               .xScales = call.xScales,
                               .weightScales = call.weightScales,
                               .bias = call.bias,
                               .rowTiles = tilesOf(extents.rows, Config::kDown * Config::kRows),
                               .outputTiles = tilesOf(extents.outputs, Config::kAcross * Config::kOutputs)};
    const auto xMap = bytesMap(call.x, extents.rows, extents.inputs, Config::kRows / Config::kAcross);
    const auto weightMap =
        bytesMap(call.weight, extents.outputs, extents.inputs, Config::kOutputs / Config::kDown);
    const auto outMap =
        swizzledMap<2>(halfType(call.type), call.out,
                       {static_cast<cuuint64_t>(extents.outputs), static_cast<cuuint64_t>(extents.rows)},
                       {static_cast<cuuint64_t>(2) * static_cast<cuuint64_t>(extents.outputs)}, {64, 64});
    constexpr int kSharedBytes = sizeof(Int8WgmmaShared<Config>) + 1024;  // to begin at a multiple of 1024
    static_assert(kSharedBytes <= 227 * 1024);
    const auto kernel = &int8WgmmaKernel<Config>;
    allowShared(kernel, kSharedBytes);
    static const int atOnce = clustersAtOnce(kernel, Config::kCluster, Config::kThreads,
                                             kSharedBytes);  // GPUs of one machine are alike
    const int clusters = std::min(queued.rowTiles * queued.outputTiles, atOnce);
    kernel<<<clusters * Config::kCluster, Config::kThreads, kSharedBytes,
             static_cast<cudaStream_t>(stream)>>>(xMap, weightMap, outMap, queued);
    checkLaunch("int8Product");
}

}  // namespace

void int8ProductOnHopper(const Int8Product& call, void* stream) {
    call.type == DataType::Float16 ? multiply<__half>(call, stream) : multiply<__nv_bfloat16>(call, stream);
}

}  // namespace reelgrid::kernels::cuda::device
