#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace reelgrid::comparison {

struct Rgb {
    std::uint8_t red = 0, green = 0, blue = 0;
    bool operator==(const Rgb&) const = default;
};

/// The colour that stands for an attention backend wherever it appears: label, chart line, bar, job, report.
/// A clip made under a policy has its backend's. Unknown names get one of the spare colours, always the same.
Rgb backendColor(const std::string& backend);

/// The same for a clip that stands beside others of these colours. A name that is no backend's, such as that
/// of a clip of another tool, gets a colour that none of them has, as long as there is one.
Rgb colorBeside(const std::string& backend, std::span<const Rgb> others);

/// "#4f9cf9".
std::string cssColor(const Rgb& color);

}  // namespace reelgrid::comparison
