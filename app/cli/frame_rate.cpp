#include "app/cli/frame_rate.h"

#include <charconv>
#include <cmath>

namespace reelgrid::cli {
namespace {

template <class T>
bool readWhole(std::string_view text, T& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
}

media::Rational rationalOf(double rate) {
    // NTSC's rates are written rounded.
    for (const std::int64_t whole : {24, 30, 48, 60, 120})
        if (std::abs(rate - double(whole) * 1000 / 1001) < 0.006) return {whole * 1000, 1001};
    return {std::llround(rate * 1000), 1000};
}

}  // namespace

Result<media::Rational> frameRateFrom(const std::string& text) {
    const Error wrong{ErrorCode::BadUsage,
                      "--fps " + text + ": a rate from 1 to 240 was needed (24, 23.976, 30000/1001)"};
    media::Rational rate;
    double decimal = 0;
    const auto slash = text.find('/');
    if (slash != std::string::npos) {
        const std::string_view all = text;
        if (!readWhole(all.substr(0, slash), rate.num) || !readWhole(all.substr(slash + 1), rate.den))
            return wrong;
        if (rate.num < 1 || rate.den < 1 || rate.num > 1'000'000 || rate.den > 1'000'000) return wrong;
    } else if (readWhole(text, rate.num)) {
        rate.den = 1;
    } else if (readWhole(text, decimal) && decimal >= 1 && decimal <= 240) {
        rate = rationalOf(decimal);
    } else {
        return wrong;
    }
    if (rate.value() < 1 || rate.value() > 240) return wrong;
    return rate;
}

}  // namespace reelgrid::cli
