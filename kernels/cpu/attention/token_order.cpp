#include "kernels/cpu/attention/token_order.h"

#include <array>
#include <cstring>

#include "kernels/cpu/attention/workspace.h"

namespace reelgrid::kernels::cpu {
namespace {

/// Memory of the copies, which is not cleared: fresh pages would take as long as the copies.
enum OrderedOperand { OrderedQ, OrderedK, OrderedV, OrderedOut, OrderedCount };
thread_local std::array<Workspace, OrderedCount> t_ordered;

/// Calls visit(head over all batches, token of the copy, token of the problem).
template <class Visit>
void forEachRow(std::int64_t heads, const std::vector<std::int32_t>& order, const Visit& visit) {
    const auto tokens = static_cast<std::int64_t>(order.size());
#pragma omp parallel for
    for (std::int64_t row = 0; row < heads * tokens; ++row)
        visit(row / tokens, row % tokens, order[static_cast<std::size_t>(row % tokens)]);
}

std::int64_t placeOf(std::int64_t head, std::int64_t heads, std::int64_t token, const Strides& strides) {
    return head / heads * strides.batch + head % heads * strides.head + token * strides.token;
}

}  // namespace

OrderedTokens::OrderedTokens(const AttentionProblem& problem, const std::vector<std::int32_t>& order)
    : m_p(problem), m_order(order), m_ordered(problem) {
    const auto tokens = static_cast<std::int64_t>(order.size());
    const auto rowBytes = static_cast<std::size_t>(m_p.headDim * sizeOf(m_p.type));
    const auto take = [&](OrderedOperand operand, std::int64_t heads, Strides& strides) {
        strides = {heads * tokens * m_p.headDim, tokens * m_p.headDim, m_p.headDim};
        return t_ordered[operand].take<std::byte>(m_p.batch * heads * tokens *
                                                  static_cast<std::int64_t>(rowBytes));
    };
    const auto copy = [&](OrderedOperand operand, const void* from, std::int64_t heads,
                          const Strides& strides, Strides& ordered) {
        std::byte* const to = take(operand, heads, ordered);
        const auto* const rows = static_cast<const std::byte*>(from);
        forEachRow(m_p.batch * heads, m_order, [&](std::int64_t head, std::int64_t here, std::int64_t token) {
            std::memcpy(to + static_cast<std::size_t>(head * tokens + here) * rowBytes,
                        rows + placeOf(head, heads, token, strides) * sizeOf(m_p.type), rowBytes);
        });
        return static_cast<const void*>(to);
    };
    m_ordered.q = copy(OrderedQ, m_p.q, m_p.queryHeads, m_p.qStrides, m_ordered.qStrides);
    m_ordered.k = copy(OrderedK, m_p.k, m_p.keyHeads, m_p.kStrides, m_ordered.kStrides);
    m_ordered.v = copy(OrderedV, m_p.v, m_p.keyHeads, m_p.vStrides, m_ordered.vStrides);
    m_out = take(OrderedOut, m_p.queryHeads, m_ordered.outStrides);
    m_ordered.out = m_out;
}

OrderedTokens::~OrderedTokens() {
    for (Workspace& memory : t_ordered) memory.giveBackIfLarge();
}

void OrderedTokens::putBack() const {
    const auto tokens = static_cast<std::int64_t>(m_order.size());
    const auto rowBytes = static_cast<std::size_t>(m_p.headDim * sizeOf(m_p.type));
    auto* const out = static_cast<std::byte*>(m_p.out);
    forEachRow(m_p.batch * m_p.queryHeads, m_order,
               [&](std::int64_t head, std::int64_t here, std::int64_t token) {
                   std::memcpy(out + placeOf(head, m_p.queryHeads, token, m_p.outStrides) * sizeOf(m_p.type),
                               m_out + static_cast<std::size_t>(head * tokens + here) * rowBytes, rowBytes);
               });
}

}  // namespace reelgrid::kernels::cpu
