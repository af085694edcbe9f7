#pragma once

#include <ATen/ATen.h>

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace reelgrid::weights {

/// Whether no element is NaN or infinite, nor becomes so in the dtype `as` (fp32, bf16 or fp16; without one
/// its own). `tensor`: of any floating-point dtype (FP8 included), on the CPU; read once, by several threads.
/// Tensors of other dtypes are finite.
bool isFinite(const at::Tensor& tensor, std::optional<at::ScalarType> as = std::nullopt);

/// Rows of a table on the CPU, without a look at the others. Throws Failure(InvalidData) naming `where` the
/// table is when one of them has NaN or infinite values.
at::Tensor finiteRows(const at::Tensor& table, const at::Tensor& rows, const std::string& where);

/// The tensors of a file of weights (.safetensors, or one of torch.save's) that are not, or that can't be
/// read, a line each: "FILE: tensor NAME has NaN or infinite values". Reads the whole file. Throws Failure as
/// openWeights() does, or Failure(Cancelled) once `stop` was asked for.
std::vector<std::string> notFiniteIn(const std::filesystem::path& file, const std::stop_token& stop);

}  // namespace reelgrid::weights
