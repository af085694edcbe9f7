#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/families/model_info.h"
#include "core/machine/machine.h"
#include "core/protocol/render_request.h"

namespace reelgrid::comparison {

struct NamedPolicy {
    std::string name;  ///< for people; of no rules: empty
    protocol::AttentionPolicy policy;
};

/// What is varied. An empty list: the request's own value alone.
struct MatrixAxes {
    std::vector<std::string> prompts{};
    std::vector<std::uint64_t> seeds{};
    std::vector<families::ModelInfo> models{};  ///< not empty
    std::vector<std::string> backends{};
    std::vector<NamedPolicy> policies{};
    std::vector<int> steps{};
    std::vector<protocol::StepCache> stepCaches{};
};

/// One render of a matrix. Those of one subject show the same picture with other attention: they are
/// compared.
struct MatrixJob {
    int subject = 0;
    std::size_t model = 0;  ///< index into MatrixAxes::models
    protocol::RenderRequest request;
    std::string policy;  ///< its name
};

inline constexpr std::size_t kMostMatrixJobs = 1000;

/// Prompts × seeds × models × steps × policies × step caches × backends, in this order, sdpa first in each
/// subject. Another model than the request's has its own defaults instead of the request's sizes and the
/// like. BadUsage when there would be too many, or naming what a model can't be asked for on that machine.
Result<std::vector<MatrixJob>> matrixJobs(const protocol::RenderRequest& request, const MatrixAxes& axes,
                                          const machine::Machine& machine);

/// "42, 100-103": numbers and ranges, both ends included. BadUsage naming what is neither.
Result<std::vector<std::uint64_t>> numbersFrom(const std::string& text, std::uint64_t least,
                                               const std::string& what);

/// "0, 0.28, teacache:0.1": step caches as --step-cache takes them, none first. BadUsage naming what is none.
Result<std::vector<protocol::StepCache>> stepCachesFrom(const std::string& text);

}  // namespace reelgrid::comparison
