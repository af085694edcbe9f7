#include "core/capture/tensor_statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace reelgrid::capture {
namespace {

constexpr std::int64_t kBins = 96;
constexpr std::size_t kMostOutliers = 32;

/// One head's values in fp32, those that are not finite as 0.
struct HeadValues {
    at::Tensor values_ND;
    at::Tensor finite_ND;  ///< undefined: all are
    std::int64_t nans = 0, infinities = 0;

    explicit HeadValues(const at::Tensor& stored_ND) : values_ND(stored_ND.to(at::kFloat)) {
        const at::Tensor finite = at::isfinite(values_ND);
        const std::int64_t others = values_ND.numel() - finite.sum().item<std::int64_t>();
        if (others == 0) return;
        nans = at::isnan(values_ND).sum().item<std::int64_t>();
        infinities = others - nans;
        finite_ND = finite;
        values_ND = values_ND.masked_fill(finite.logical_not(), 0);
    }
    [[nodiscard]] at::Tensor finiteValues() const {
        return finite_ND.defined() ? values_ND.masked_select(finite_ND) : values_ND;
    }
};

double medianOf(std::vector<double> values) {
    const auto middle = values.begin() + std::ptrdiff_t(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

std::vector<OutlierChannel> outliersOf(const std::vector<std::vector<double>>& channels) {
    std::vector<OutlierChannel> all;
    for (std::size_t head = 0; head < channels.size(); ++head) {
        const double median = medianOf(channels[head]);
        if (median <= 0) continue;
        for (std::size_t channel = 0; channel < channels[head].size(); ++channel)
            all.push_back({std::int64_t(head), std::int64_t(channel), channels[head][channel],
                           channels[head][channel] / median});
    }
    const auto kept = all.begin() + std::ptrdiff_t(std::min(kMostOutliers, all.size()));
    std::ranges::partial_sort(all, kept, std::ranges::greater(), &OutlierChannel::timesMedian);
    all.erase(kept, all.end());
    return all;
}

/// Counts, moments and each channel's largest magnitude.
void addHead(const at::Tensor& stored_ND, TensorStatistics& statistics, double& sum, double& squares,
             std::vector<double>& channels) {
    const HeadValues head(stored_ND);
    statistics.nans += head.nans;
    statistics.infinities += head.infinities;
    sum += head.values_ND.sum(at::kDouble).item<double>();
    squares += head.values_ND.to(at::kDouble).square_().sum().item<double>();
    const at::Tensor finite = head.finiteValues();
    if (finite.numel() > 0) {
        statistics.low = std::min(statistics.low, finite.min().item<double>());
        statistics.high = std::max(statistics.high, finite.max().item<double>());
    }
    const at::Tensor largest = head.values_ND.abs().amax(0).to(at::kDouble).contiguous();
    for (std::size_t channel = 0; channel < channels.size(); ++channel)
        channels[channel] = std::max(channels[channel], largest.const_data_ptr<double>()[channel]);
}

void addHistogram(const at::Tensor& stored_ND, TensorStatistics& statistics) {
    const HeadValues head(stored_ND);
    const at::Tensor counts = at::histc(head.finiteValues().flatten(), kBins, statistics.low, statistics.high)
                                  .to(at::kLong)
                                  .contiguous();
    for (std::size_t bin = 0; bin < statistics.histogram.size(); ++bin)
        statistics.histogram[bin] += counts.const_data_ptr<std::int64_t>()[bin];
}

}  // namespace

double TensorStatistics::absMax() const {
    return std::max(std::abs(low), std::abs(high));
}

TensorStatistics statisticsOf(const at::Tensor& x_BHND) {
    TensorStatistics statistics;
    statistics.elements = x_BHND.numel();
    statistics.low = std::numeric_limits<double>::infinity();
    statistics.high = -statistics.low;
    double sum = 0, squares = 0;
    for (std::int64_t h = 0; h < x_BHND.size(1); ++h) {
        std::vector<double> channels(std::size_t(x_BHND.size(3)), 0);
        for (std::int64_t b = 0; b < x_BHND.size(0); ++b)
            addHead(x_BHND[b][h], statistics, sum, squares, channels);
        statistics.channels.push_back(std::move(channels));
    }
    const auto finite = double(statistics.elements - statistics.nans - statistics.infinities);
    if (finite == 0) {
        statistics.low = statistics.high = 0;
        return statistics;
    }
    statistics.mean = sum / finite;
    statistics.deviation = std::sqrt(std::max(0.0, squares / finite - statistics.mean * statistics.mean));
    // Of equal values there is nothing to count; histc would take its range from the values then.
    if (statistics.high > statistics.low) {
        statistics.histogram.assign(std::size_t(kBins), 0);
        for (std::int64_t h = 0; h < x_BHND.size(1); ++h)
            for (std::int64_t b = 0; b < x_BHND.size(0); ++b) addHistogram(x_BHND[b][h], statistics);
    }
    statistics.outliers = outliersOf(statistics.channels);
    return statistics;
}

}  // namespace reelgrid::capture
