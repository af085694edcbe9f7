#include "kernels/cpu/transformer/fused.h"

#include <algorithm>

#include "kernels/cpu/instruction_set.h"
#include "kernels/cpu/transformer/fused_rows.h"

namespace reelgrid::kernels::transformer {
namespace {

/// Below this many values another thread costs more than it brings.
constexpr std::int64_t kValuesWorthThreads = 1 << 15;
constexpr std::int64_t kGeluChunk = 1 << 13;

const FusedRows& selectedRows() {
#if defined(REELGRID_X86_KERNELS)
    switch (selectedInstructionSet(Products::Fp32)) {
        case InstructionSet::Amx:
        case InstructionSet::Avx512:
            return fusedAvx512();
        case InstructionSet::Avx2:
            return fusedAvx2();
        case InstructionSet::Portable:
            break;
    }
#endif
    return kRows;
}

template <class T>
const FusedRows::Of<T>& functions() {
    if constexpr (sizeof(T) == sizeof(float))
        return selectedRows().fp32;
    else
        return selectedRows().bf16;
}

template <class T>
void addThenNormOn(const Rows& rows, float* x, const T* y, const float* gate, const float* weight,
                   const float* bias, T* out) {
    const auto row = functions<T>().addThenNorm;
    const std::int64_t c = rows.channels;
#pragma omp parallel for schedule(static) if (rows.count * c > kValuesWorthThreads)
    for (std::int64_t r = 0; r < rows.count; ++r)
        row(rows, x + r * c, y ? y + r * c : nullptr, gate, weight, bias, out ? out + r * c : nullptr);
}

template <class T>
void rmsNormRotateOn(const Rows& rows, T* x, std::int64_t rowStride, const float* weight,
                     const Rotation& rotation) {
    const auto row = functions<T>().rmsNormRotate;
    const bool turns = rotation.cos != nullptr;
#pragma omp parallel for schedule(static) if (rows.count * rows.channels > kValuesWorthThreads)
    for (std::int64_t r = 0; r < rows.count; ++r) {
        const std::int64_t angles = turns ? r % rotation.tokens * (rotation.headDim / 2) : 0;
        row(rows, x + r * rowStride, weight, turns ? rotation.cos + angles : nullptr,
            turns ? rotation.sin + angles : nullptr, rotation.headDim);
    }
}

template <class T>
void headNormRotateOn(const Rows& rows, T* x, std::int64_t rowStride, std::int64_t headDim,
                      const float* weight, const float* bias, const PairRotation& rotation) {
    const auto row = functions<T>().headNormRotate;
#pragma omp parallel for schedule(static) if (rows.count * rows.channels > kValuesWorthThreads)
    for (std::int64_t r = 0; r < rows.count; ++r) {
        const std::int64_t turned = rotation.cosSin ? r % rotation.tokens - rotation.first : -1;
        row(rows, x + r * rowStride, headDim, weight, bias,
            turned < 0 ? nullptr : rotation.cosSin + turned * headDim);
    }
}

template <class T>
void geluTanhOn(T* x, std::int64_t count) {
    const auto row = functions<T>().geluTanh;
#pragma omp parallel for schedule(static) if (count > kValuesWorthThreads)
    for (std::int64_t begin = 0; begin < count; begin += kGeluChunk)
        row(x + begin, std::min(kGeluChunk, count - begin));
}

}  // namespace

void addThenNorm(const Rows& rows, float* x, const BFloat16* y, const float* gate, const float* weight,
                 const float* bias, BFloat16* out) {
    addThenNormOn(rows, x, y, gate, weight, bias, out);
}
void addThenNorm(const Rows& rows, float* x, const float* y, const float* gate, const float* weight,
                 const float* bias, float* out) {
    addThenNormOn(rows, x, y, gate, weight, bias, out);
}
void rmsNormRotate(const Rows& rows, BFloat16* x, std::int64_t rowStride, const float* weight,
                   const Rotation& rotation) {
    rmsNormRotateOn(rows, x, rowStride, weight, rotation);
}
void rmsNormRotate(const Rows& rows, float* x, std::int64_t rowStride, const float* weight,
                   const Rotation& rotation) {
    rmsNormRotateOn(rows, x, rowStride, weight, rotation);
}
void headNormRotate(const Rows& rows, BFloat16* x, std::int64_t rowStride, std::int64_t headDim,
                    const float* weight, const float* bias, const PairRotation& rotation) {
    headNormRotateOn(rows, x, rowStride, headDim, weight, bias, rotation);
}
void headNormRotate(const Rows& rows, float* x, std::int64_t rowStride, std::int64_t headDim,
                    const float* weight, const float* bias, const PairRotation& rotation) {
    headNormRotateOn(rows, x, rowStride, headDim, weight, bias, rotation);
}
void geluTanh(BFloat16* x, std::int64_t count) {
    geluTanhOn(x, count);
}
void geluTanh(float* x, std::int64_t count) {
    geluTanhOn(x, count);
}

}  // namespace reelgrid::kernels::transformer
