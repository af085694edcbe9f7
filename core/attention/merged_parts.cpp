#include "core/attention/merged_parts.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/execution/kernel_arguments.h"
#include "kernels/attention/merge_partials.h"
#include "kernels/cuda/library.h"

namespace reelgrid::attention {
namespace {

kernels::Strides stridesOfPart(const at::Tensor& x_BHND) {
    return {x_BHND.stride(0), x_BHND.stride(1), x_BHND.stride(2)};
}

/// As they come into memory of its own: on the CPU by our kernels, elsewhere by libtorch's operators.
class AddedUp final : public MergedParts {
  public:
    explicit AddedUp(const at::Tensor& q_BHND)
        : m_dtype(q_BHND.scalar_type()),
          m_out_BNHD(at::zeros({q_BHND.size(0), q_BHND.size(2), q_BHND.size(1), q_BHND.size(3)},
                               q_BHND.options().dtype(at::kFloat))),
          m_lse_BHN(at::full({q_BHND.size(0), q_BHND.size(1), q_BHND.size(2)},
                             -std::numeric_limits<float>::infinity(), q_BHND.options().dtype(at::kFloat))) {}

    void add(const at::Tensor& out_BHND, const at::Tensor& lse_BHN) override {
        const at::Tensor merged_BHND = m_out_BNHD.transpose(1, 2);
        const auto type = execution::kernelTypeOf(out_BHND.scalar_type());
        if (!out_BHND.is_cpu() || !type) return addThere(merged_BHND, out_BHND, lse_BHN);
        kernels::mergePart({.out = m_out_BNHD.data_ptr<float>(),
                            .lse = m_lse_BHN.data_ptr<float>(),
                            .strides = stridesOfPart(merged_BHND),
                            .batch = merged_BHND.size(0),
                            .heads = merged_BHND.size(1),
                            .queries = merged_BHND.size(2),
                            .headDim = merged_BHND.size(3)},
                           {.out = out_BHND.const_data_ptr(),
                            .lse = lse_BHN.const_data_ptr<float>(),
                            .type = *type,
                            .strides = stridesOfPart(out_BHND),
                            .queries = out_BHND.size(2)});
    }

    [[nodiscard]] at::Tensor rounded() override { return m_out_BNHD.to(m_dtype).transpose(1, 2); }

  private:
    void addThere(const at::Tensor& merged_BHND, const at::Tensor& out_BHND, const at::Tensor& lse_BHN) {
        const at::Tensor both_BHN = at::logaddexp(m_lse_BHN, lse_BHN);
        // Where neither saw a key there is nothing to weigh.
        const auto weightOf = [&](const at::Tensor& lse) {
            return at::exp(lse - both_BHN).nan_to_num(0.0).unsqueeze(-1);
        };
        merged_BHND.mul_(weightOf(m_lse_BHN)).addcmul_(out_BHND.to(at::kFloat), weightOf(lse_BHN));
        m_lse_BHN.copy_(both_BHN);
    }

    at::ScalarType m_dtype;
    at::Tensor m_out_BNHD;  ///< fp32
    at::Tensor m_lse_BHN;
};

/// By our kernel on an NVIDIA GPU. A part is merged when the next one comes, or the end, so that the last
/// merge writes what is asked for, and of two parts nothing is ever fp32.
class FoldedUp final : public MergedParts {
  public:
    static bool takes(const at::Tensor& q_BHND) {
        constexpr std::int64_t kRow = 8;  // values that the kernel takes at a time
        return q_BHND.is_cuda() && kernels::cuda::library() != nullptr && q_BHND.size(3) % kRow == 0 &&
               execution::kernelTypeOf(q_BHND.scalar_type());
    }

    explicit FoldedUp(const at::Tensor& q_BHND) : m_dtype(q_BHND.scalar_type()) {}

    void add(const at::Tensor& out_BHND, const at::Tensor& lse_BHN) override {
        Part part{alignedFor(out_BHND), lse_BHN};
        if (m_last.out_BHND.defined()) m_merged = folded(at::kFloat);
        m_last = std::move(part);
    }

    [[nodiscard]] at::Tensor rounded() override {
        const at::Tensor out_BHND = folded(m_dtype).out_BHND;
        return out_BHND.transpose(1, 2).contiguous().transpose(1, 2);
    }

  private:
    struct Part {
        at::Tensor out_BHND, lse_BHN;
    };

    /// As it is, unless its rows don't begin at whole packs.
    static at::Tensor alignedFor(const at::Tensor& out_BHND) {
        const auto strides = out_BHND.strides();
        const bool isAligned = strides[3] == 1 &&
                               reinterpret_cast<std::uintptr_t>(out_BHND.const_data_ptr()) % 16 == 0 &&
                               std::all_of(strides.begin(), strides.end() - 1,
                                           [](std::int64_t stride) { return stride % 8 == 0; });
        return isAligned ? out_BHND : out_BHND.contiguous();
    }

    /// What was merged, with the last part, in that dtype.
    [[nodiscard]] Part folded(at::ScalarType dtype) const {
        if (!m_merged.out_BHND.defined()) return m_last;
        const at::Tensor& last = m_last.out_BHND;
        const at::Tensor out_BNHD =
            at::empty({last.size(0), last.size(2), last.size(1), last.size(3)}, last.options().dtype(dtype));
        const at::Tensor lse_BHN = at::empty_like(m_last.lse_BHN);
        const auto partOf = [](const Part& part) {
            return kernels::cuda::MergeAttention::Part{.out = part.out_BHND.const_data_ptr(),
                                                       .lse = part.lse_BHN.const_data_ptr<float>(),
                                                       .strides = stridesOfPart(part.out_BHND)};
        };
        kernels::cuda::library()->mergeAttention(
            {.batch = last.size(0),
             .heads = last.size(1),
             .queries = last.size(2),
             .headDim = last.size(3),
             .type = *execution::kernelTypeOf(m_dtype),
             .before = partOf(m_merged),
             .added = partOf(m_last),
             .isBeforeFp32 = m_merged.out_BHND.scalar_type() == at::kFloat,
             .isOutFp32 = dtype == at::kFloat,
             .out = out_BNHD.data_ptr(),
             .lse = lse_BHN.data_ptr<float>()},
            execution::streamOf(last));
        return {out_BNHD.transpose(1, 2), lse_BHN};
    }

    at::ScalarType m_dtype;
    Part m_merged, m_last;
};

}  // namespace

std::unique_ptr<MergedParts> MergedParts::of(const at::Tensor& q_BHND) {
    if (FoldedUp::takes(q_BHND)) return std::make_unique<FoldedUp>(q_BHND);
    return std::make_unique<AddedUp>(q_BHND);
}

}  // namespace reelgrid::attention
