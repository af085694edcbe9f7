#include "tests/gpu/case_on_gpu.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace reelgrid {
namespace {

/// Memory of the GPU that begins as a copy of the host's.
class Copies {
  public:
    explicit Copies(const execution::Execution& gpu) : m_options(at::TensorOptions().device(gpu.device)) {}

    void* of(const void* data, std::int64_t bytes) {
        if (data == nullptr) return nullptr;
        m_copies.push_back(at::from_blob(const_cast<void*>(data), {bytes}, at::kByte).to(m_options.device()));
        return m_copies.back().data_ptr();
    }
    template <class T>
    T* of(const T* data, std::int64_t count) {
        return static_cast<T*>(
            of(static_cast<const void*>(data), count * static_cast<std::int64_t>(sizeof(T))));
    }
    void* scratch(std::int64_t bytes) {
        m_copies.push_back(at::empty({bytes}, m_options.dtype(at::kByte)));
        return m_copies.back().data_ptr();
    }
    /// The latest back to the host.
    void fetch(void* to) const {
        const at::Tensor& latest = m_copies.back();
        at::from_blob(to, latest.sizes(), at::kByte).copy_(latest);
    }

  private:
    at::TensorOptions m_options;
    std::vector<at::Tensor> m_copies;
};

}  // namespace

std::vector<double> runOnGpu(const kernels::BackendInfo& backend, kernels::test::AttentionCase& c,
                             const execution::Execution& gpu) {
    Copies copies(gpu);
    const auto bytes = [&](const std::vector<std::uint8_t>& data) {
        return copies.of(static_cast<const void*>(data.data()), static_cast<std::int64_t>(data.size()));
    };
    kernels::AttentionProblem p = c.problem;
    p.device = kernels::Device::Cuda;
    p.stream = gpu.stream();
    p.q = bytes(c.q);
    p.k = bytes(c.k);
    p.v = bytes(c.v);
    p.keyBias = copies.of(p.keyBias, p.keys);
    p.sparseLinear.projection = copies.of(p.sparseLinear.projection, p.headDim * p.headDim);
    p.sparseLinear.bias = copies.of(p.sparseLinear.bias, p.headDim);
    std::fill(c.out.begin(), c.out.end(), std::uint8_t{0xFF});
    Copies lse(gpu), out(gpu), kept(gpu);
    p.keptShare = kept.of(p.keptShare, 1);
    p.lse = lse.of(p.lse, p.batch * p.queryHeads * p.queries);
    p.out = out.of(static_cast<const void*>(c.out.data()), static_cast<std::int64_t>(c.out.size()));
    const kernels::AttentionPlan plan = kernels::plan(backend, p);
    EXPECT_EQ(plan.obstacle, "") << c.name();
    p.workspace = copies.scratch(plan.workspaceBytes);
    plan.attend(p);
    out.fetch(c.out.data());
    if (p.lse != nullptr) lse.fetch(c.problem.lse);
    if (p.keptShare != nullptr) kept.fetch(c.problem.keptShare);
    EXPECT_TRUE(c.guardIntact()) << c.name();
    return c.output();
}

}  // namespace reelgrid
