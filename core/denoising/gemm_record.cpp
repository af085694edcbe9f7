#include "core/denoising/gemm_record.h"

namespace reelgrid::denoising {

std::optional<result::GemmRecord> gemmRecordOf(const LoadOptions& options, bool multiplies) {
    if (options.gemms != Gemms::Fp8) return std::nullopt;
    if (multiplies) return result::GemmRecord{"fp8", "fp8", ""};
    const std::string dtype = options.dtype == at::kFloat  ? "fp32"
                              : options.dtype == at::kHalf ? "fp16"
                                                           : "bf16";
    return result::GemmRecord{"fp8", dtype,
                              options.execution.device.str() +
                                  " has no products of e4m3: the rounded values are multiplied in " + dtype};
}

}  // namespace reelgrid::denoising
