#include "core/benchmark/attention_report.h"

namespace reelgrid::benchmark {

std::string labelOf(const AttentionCase& wanted) {
    const std::string shape = textOf(wanted.shape);
    if (wanted.captured) return "call " + std::to_string(wanted.captured->callIndex) + ": " + shape;
    return wanted.preset.empty() ? shape : shape + " (" + wanted.preset + ")";
}

double rateOf(const MeasuredCase& measured, const AttentionRow& row) {
    return operationsOf(measured.wanted.shape, measured.wanted.mask) / row.p50;
}

std::optional<double> kernelRateOf(const MeasuredCase& measured, const AttentionRow& row) {
    if (!row.kernelP50) return std::nullopt;
    return operationsOf(measured.wanted.shape, measured.wanted.mask) / *row.kernelP50;
}

double bytesOf(const MeasuredCase& measured, const AttentionRow& row) {
    return bytesOf(measured.wanted.shape,
                   elementBytesOf(*kernels::findBackend(row.used), measured.wanted.type));
}

double bandwidthOf(const MeasuredCase& measured, const AttentionRow& row) {
    return bytesOf(measured, row) / row.p50;
}

double intensityOf(const MeasuredCase& measured, const AttentionRow& row) {
    return operationsOf(measured.wanted.shape, measured.wanted.mask) / bytesOf(measured, row);
}

double timesSdpa(const MeasuredCase& measured, const AttentionRow& row) {
    return measured.rows.front().p50 / row.p50;
}

std::optional<double> shareOfPeak(const AttentionReport& report, const MeasuredCase& measured,
                                  const AttentionRow& row) {
    const double peak = report.peaks.of(measured.wanted.type);
    if (peak <= 0 || !row.dense) return std::nullopt;
    return rateOf(measured, row) / peak;
}

const char* nameOf(BoundBy bound) {
    return bound == BoundBy::Compute ? "compute" : "memory";
}

std::optional<Roof> roofOf(const AttentionReport& report, const MeasuredCase& measured,
                           const AttentionRow& row) {
    const double compute = report.peaks.of(measured.wanted.type);
    const double memory = intensityOf(measured, row) * report.peaks.bytesPerSecond;
    if (compute <= 0 || memory <= 0) return std::nullopt;
    return memory < compute ? Roof{memory, BoundBy::Memory} : Roof{compute, BoundBy::Compute};
}

}  // namespace reelgrid::benchmark
