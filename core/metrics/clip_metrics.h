#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/media/frame.h"
#include "core/metrics/clip_gates.h"
#include "core/metrics/coherence.h"
#include "core/metrics/lockstep_map.h"
#include "core/metrics/series.h"

namespace reelgrid::metrics {

/// How far a clip is from a reference clip, frame by frame over those that both have.
struct Drift {
    std::optional<Series> psnr;
    std::optional<Series> ssim;                       ///< absent for pictures smaller than its window
    std::optional<Series> msSsim;                     ///< likewise for sides below kLeastMsSsimSide
    std::optional<Series> lpips, lpipsSqueeze, vmaf;  ///< where they were asked for
    std::optional<double> latentError;  ///< of the latents: mean |difference| over mean |reference's|
    std::optional<int> comparedFrames;
    std::optional<int> referenceFrames;
    std::string reference;        ///< the reference clip's backend; empty: not said
    std::string referenceClip;    ///< its file name; empty: not said
    std::string referenceSha256;  ///< of its file: which clip it was; empty: not said
    std::string measuredOn;       ///< kDecodedClips, kKeptFrames; empty: the frames, while they were rendered
};
inline constexpr const char* kDecodedClips = "decoded clips";
inline constexpr const char* kKeptFrames = "lossless frames";  ///< of both clips

/// All measurements of one clip. What was not measured is absent.
struct ClipMetrics {
    std::string clipSha256;  ///< of the clip's file, where they are kept beside it; empty: not said
    int frames = 0;
    std::optional<Series> frameCorrelation;  ///< absent for a single frame
    std::optional<Series> flickering;        ///< likewise; older files have its mean alone
    std::optional<Series> warpingError;      ///< likewise, and absent for pictures too small for a flow
    /// Where they were asked for: of frames, of neighbours, of neighbours.
    std::optional<Series> clipScore, subjectConsistency, backgroundConsistency;
    /// With which weights or program what was asked for was measured, by the measure's key.
    std::map<std::string, std::string> measuredWith;
    /// SHA-256 of all that those numbers depend on beside pictures and prompt (perception::fingerprintOf),
    /// likewise; absent in older files.
    std::map<std::string, std::string> measuredWithSha256;
    std::optional<Drift> drift;
    std::optional<ClipGates> gates;
    std::optional<ChangeMeasures> change;  ///< absent for fewer than three frames, and in older files
    /// Frame correlation of the latents, and of what frames that nothing ties together would have: of a
    /// render whose frames first were, or of another clip.
    std::optional<double> latentCorrelation, independentCorrelation;
    std::optional<LockstepMap> lockstep;  ///< of other backends on this clip's latents
};

/// Measures `video`, against `reference` where there is one. BadUsage when a clip has no frames or the sizes
/// differ; lengths may differ, then the common frames are compared. Uses the machine's cores.
Result<ClipMetrics> measure(const media::RgbVideo& video, const media::RgbVideo* reference = nullptr);

/// The same of a clip that is given part by part, so that no more than one part has to be in memory.
class ClipMeasurement {
  public:
    /// Each part but the first begins with the last frame of the one before, and so does the reference's,
    /// which may be shorter; a clip has a reference in every part or in none. BadUsage as of measure().
    Result<void> add(const media::RgbVideo& part, const media::RgbVideo* reference = nullptr);
    /// After at least one part.
    [[nodiscard]] ClipMetrics finish() const;

  private:
    Result<void> compare(const media::RgbVideo& part, const media::RgbVideo& reference, int first);

    int m_width = 0, m_height = 0, m_frames = 0, m_referenceFrames = 0;
    bool m_hasReference = false;
    std::vector<double> m_variance, m_psnr, m_ssim, m_msSsim;         // of frames
    std::vector<double> m_difference, m_correlation, m_warpingError;  // of neighbours
    ChangeFollower m_change;
};

}  // namespace reelgrid::metrics
