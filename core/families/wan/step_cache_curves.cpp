#include "core/families/wan/step_cache_curves.h"

#include <span>

namespace reelgrid::families::wan {
namespace {

// Magnitudes of what the blocks add, relative to the step before, of the conditional pass in 50 steps.
// Source: MagCache (github.com/Zehong-Ma/MagCache, df81cb1), MagCache4Wan2.1 and MagCache4Wan2.2, mag_ratios.
// clang-format off
constexpr double k14BMagnitudes[] = {
    1, 1.02504, 1.00025, 0.9985, 0.99779, 0.9966, 0.99482, 0.99467, 0.99664, 0.99434, 0.99533, 0.99468,
    0.99438, 0.99516, 0.99384, 0.99404, 0.99517, 0.99409, 0.99428, 0.99347, 0.99418, 0.99271, 0.99313,
    0.99215, 0.99218, 0.99216, 0.99163, 0.99138, 0.98982, 0.98996, 0.9887, 0.98772, 0.98767, 0.98573,
    0.98501, 0.9838, 0.98177, 0.98037, 0.97678, 0.97546, 0.97184, 0.96711, 0.96349, 0.95629, 0.94926,
    0.93964, 0.92511, 0.90693, 0.8796, 0.86111,
};
constexpr double k13BMagnitudes[] = {
    1, 1.0124, 1.00166, 0.99791, 0.99682, 0.99634, 0.99567, 0.99416, 0.99578, 0.9957, 0.99511, 0.99535,
    0.99552, 0.99541, 0.9954, 0.99489, 0.99518, 0.99484, 0.99481, 0.99415, 0.99419, 0.99396, 0.99388,
    0.99349, 0.99309, 0.9927, 0.99228, 0.99171, 0.99137, 0.99068, 0.99005, 0.98944, 0.98849, 0.98758,
    0.98644, 0.98504, 0.9836, 0.98202, 0.97977, 0.97717, 0.9741, 0.97003, 0.96538, 0.9593, 0.95086, 0.94013,
    0.92402, 0.90241, 0.86821, 0.81838,
};
constexpr double k5BMagnitudes[] = {
    1, 0.99505, 0.99441, 0.99558, 0.99499, 0.99534, 0.99468, 0.99463, 0.9946, 0.99408, 0.9945, 0.99409,
    0.99403, 0.99382, 0.99349, 0.99377, 0.9933, 0.99303, 0.99217, 0.992, 0.99201, 0.99133, 0.99112, 0.99155,
    0.98958, 0.98959, 0.98838, 0.98826, 0.9883, 0.98711, 0.98562, 0.98511, 0.98414, 0.98284, 0.98104,
    0.97981, 0.97849, 0.97557, 0.97398, 0.97171, 0.96917, 0.96511, 0.96263, 0.95839, 0.95483, 0.94942,
    0.9468, 0.94583, 0.94843, 0.96949,
};
// clang-format on

// Of the timestep's projected embedding. Source: TeaCache (github.com/ali-vilab/TeaCache, 7c10efc),
// TeaCache4Wan2.1, coefficients with use_ret_steps.
constexpr double k13BPolynomial[] = {-5.21862437e+04, 9.23041404e+03, -5.28275948e+02, 1.36987616e+01,
                                     -4.99875664e-02};
constexpr double k14BPolynomial[] = {-3.03318725e+05, 4.90537029e+04, -2.65530556e+03, 5.87365115e+01,
                                     -3.15583525e-01};

constexpr int kLayersOf13B = 30, kLayersOf14B = 40, kLayersOf5B = 30;

StepCacheCurves curves(std::span<const double> polynomial, std::span<const double> magnitudes) {
    return {{polynomial.begin(), polynomial.end()}, {magnitudes.begin(), magnitudes.end()}};
}

}  // namespace

StepCacheCurves stepCacheCurvesOf(std::string_view family, int layers) {
    if (family == "wan2.1" && layers == kLayersOf13B) return curves(k13BPolynomial, k13BMagnitudes);
    if (family == "wan2.1" && layers == kLayersOf14B) return curves(k14BPolynomial, k14BMagnitudes);
    if (family == "wan2.2-ti2v" && layers == kLayersOf5B) return curves({}, k5BMagnitudes);
    return {};
}

}  // namespace reelgrid::families::wan
