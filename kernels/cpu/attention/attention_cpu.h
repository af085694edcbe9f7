#pragma once

#include <string>

#include "kernels/attention/method.h"
#include "kernels/attention/method_options.h"
#include "kernels/attention/plan.h"
#include "kernels/attention/problem.h"

namespace reelgrid::kernels::cpu {

constexpr int kMaxHeadDim = 256;

/// Runs a problem that backend_list's whyNot() has nothing against. Throws std::runtime_error when
/// REELGRID_CPU forces what the machine lacks. Doesn't write to q, k or v. Memory: O(Nk · D) packed keys and
/// values of one group of heads, nothing of size Nq × Nk.
void attend(Method method, const AttentionProblem& problem);

/// For the list of backends: no workspace, whatever the problem.
template <Method method>
AttentionPlan plan(const AttentionProblem& problem) {
    if (std::string obstacle = optionObstacle(method, problem); !obstacle.empty())
        return {.obstacle = obstacle};
    return {.attend = [](const AttentionProblem& planned) { attend(method, planned); }};
}

}  // namespace reelgrid::kernels::cpu
