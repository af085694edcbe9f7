#include "core/tune/budget.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <sstream>

#include "core/base/number_text.h"

namespace reelgrid::tune {
namespace {

/// What metrics call equal frames.
constexpr double kEqualPsnr = 100;

constexpr std::array kQualities{
    QualityInfo{Quality::Psnr, "psnr", "PSNR", "dB", 2, QualityInfo::Best::High},
    QualityInfo{Quality::Ssim, "ssim", "SSIM", "", 4, QualityInfo::Best::High},
    QualityInfo{Quality::L1, "l1", "relative L1 of the latents", "", 4, QualityInfo::Best::Low},
    QualityInfo{Quality::Cosine, "cosine", "cosine of the latents", "", 6, QualityInfo::Best::High},
};

bool isPossible(Quality quality, double value) {
    switch (quality) {
        case Quality::Psnr:
            return value > 0 && value <= kEqualPsnr;
        case Quality::Ssim:
        case Quality::Cosine:
            return value > 0 && value <= 1;
        case Quality::L1:
            return value >= 0 && value < 2;
    }
    return false;
}

const char* comparisonOf(const QualityInfo& info) {
    return info.best == QualityInfo::Best::High ? ">=" : "<=";
}

Error wrong(const std::string& text) {
    return {ErrorCode::BadUsage,
            "--budget " + text +
                ": psnr>=DB (up to 100), ssim>=N, cosine>=N (up to 1) or l1<=N (below 2) "
                "was needed"};
}

}  // namespace

const QualityInfo& infoOf(Quality quality) {
    return kQualities[static_cast<std::size_t>(quality)];
}

double errorOf(Quality quality, double value) {
    switch (quality) {
        case Quality::Psnr:
            return value >= kEqualPsnr ? 0 : std::pow(10, -value / 10);
        case Quality::L1:
            return value * value;
        case Quality::Ssim:
        case Quality::Cosine:
            return std::max(0.0, 1 - value);
    }
    return 0;
}

double valueOf(Quality quality, double error) {
    switch (quality) {
        case Quality::Psnr:
            return error <= 0 ? kEqualPsnr : std::min(kEqualPsnr, -10 * std::log10(error));
        case Quality::L1:
            return std::sqrt(error);
        case Quality::Ssim:
        case Quality::Cosine:
            return 1 - error;
    }
    return 0;
}

bool Budget::isMetBy(double measured) const {
    if (!std::isfinite(measured)) return false;
    return infoOf(quality).best == QualityInfo::Best::High ? measured >= value : measured <= value;
}

std::string Budget::text() const {
    std::ostringstream out;
    out << infoOf(quality).key << comparisonOf(infoOf(quality)) << value;
    return out.str();
}

Result<Budget> budgetFrom(const std::string& text) {
    std::string plain;
    std::ranges::copy_if(text, std::back_inserter(plain), [](char letter) { return letter != ' '; });
    for (const QualityInfo& info : kQualities) {
        const std::string begins = std::string(info.key) + comparisonOf(info);
        if (!plain.starts_with(begins)) continue;
        Budget budget{info.quality, 0};
        const char* first = plain.data() + begins.size();
        const char* last = plain.data() + plain.size();
        const auto [end, failed] = std::from_chars(first, last, budget.value);
        if (failed != std::errc() || end != last || !isPossible(info.quality, budget.value))
            return wrong(text);
        return budget;
    }
    return wrong(text);
}

std::string qualityText(Quality quality, double value) {
    const QualityInfo& info = infoOf(quality);
    return fixed(value, info.decimals) + (*info.unit != '\0' ? std::string(" ") + info.unit : "");
}

}  // namespace reelgrid::tune
