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

template <class Element>
void multiply(const Int8Product& call, void* stream) {
    using Config = Int8WgmmaConfig<Element>;
    const Int8Extents extents(call);
    const auto tilesOf = [](int side, int each) { return (side + each - 1) / each; };
    const Int8WgmmaCall queued{.extents = extents,
                               .xScales = call.xScales,
                               .weightScales = call.weightScales,
                               .bias = call.bias,
                               .rowTiles = tilesOf(extents.rows, Config::kRows),
                               .outputTiles = tilesOf(extents.outputs, Config::kSharers * Config::kOutputs)};
    const auto xMap = bytesMap(call.x, extents.rows, extents.inputs, Config::kRows / Config::kSharers);
    const auto weightMap = bytesMap(call.weight, extents.outputs, extents.inputs, Config::kOutputs);
    const auto outMap =
        swizzledMap<2>(halfType(call.type), call.out,
                       {static_cast<cuuint64_t>(extents.outputs), static_cast<cuuint64_t>(extents.rows)},
                       {static_cast<cuuint64_t>(2) * static_cast<cuuint64_t>(extents.outputs)}, {64, 64});
    constexpr int kSharedBytes = sizeof(Int8WgmmaShared<Config>) + 1024;  // to begin at a multiple of 1024
    static_assert(kSharedBytes <= 227 * 1024);
    const auto kernel = &int8WgmmaKernel<Config>;
    allowShared(kernel, kSharedBytes);
    const int pairs = std::min(queued.rowTiles * queued.outputTiles, processors() / Config::kSharers);
    kernel<<<pairs * Config::kSharers, Config::kThreads, kSharedBytes, static_cast<cudaStream_t>(stream)>>>(
        xMap, weightMap, outMap, queued);
    checkLaunch("int8Product");
}

}  // namespace

void int8ProductOnHopper(const Int8Product& call, void* stream) {
    call.type == DataType::Float16 ? multiply<__half>(call, stream) : multiply<__nv_bfloat16>(call, stream);
}

}  // namespace reelgrid::kernels::cuda::device
