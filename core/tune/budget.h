#pragma once

#include <string>

#include "core/base/result.h"

namespace reelgrid::tune {

/// What a budget holds a clip to, all against the sdpa clip of the same render.
enum class Quality {
    Psnr,    ///< of the frames, mean in dB
    Ssim,    ///< of the frames, mean
    L1,      ///< relative L1 of the final latents: Σ|O−O'| / Σ|O|
    Cosine,  ///< of the final latents
};

struct QualityInfo {
    Quality quality;
    const char* key;   ///< "psnr"
    const char* name;  ///< for people
    const char* unit;  ///< behind the number; may be empty
    int decimals;
    enum class Best { High, Low } best;
};
const QualityInfo& infoOf(Quality quality);

/// What a value says as an error that grows with the square of a deviation, so that independent errors add
/// up: the mean squared error in units of the full scale for PSNR, 1 − SSIM, L1², 1 − cosine. Zero for clips
/// that are equal (PSNR of 100 dB and more).
double errorOf(Quality quality, double value);
/// The other way round.
double valueOf(Quality quality, double error);

/// "psnr>=40": how good a clip has to be.
struct Budget {
    Quality quality = Quality::Psnr;
    double value = 0;

    [[nodiscard]] bool isMetBy(double measured) const;
    [[nodiscard]] double error() const { return errorOf(quality, value); }
    /// As the command line spells it.
    [[nodiscard]] std::string text() const;
};

/// Reads psnr>=N, ssim>=N, cosine>=N or l1<=N. BadUsage naming what was needed.
Result<Budget> budgetFrom(const std::string& text);

/// "41.37 dB"
std::string qualityText(Quality quality, double value);

}  // namespace reelgrid::tune
