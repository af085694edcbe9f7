#include "app/cli/token_grid_option.h"

#include <algorithm>
#include <charconv>
#include <vector>

namespace reelgrid::cli {

Result<kernels::TokenGrid> tokenGridFrom(const std::string& text) {
    std::vector<std::int64_t> numbers;
    const char *at = text.data(), *end = at + text.size();
    while (at != end) {
        const auto read = std::from_chars(at, end, numbers.emplace_back());
        const bool isSeparated = read.ptr == end || (*read.ptr == ',' && read.ptr + 1 != end);
        if (read.ec != std::errc() || !isSeparated) {
            numbers.clear();
            break;
        }
        at = read.ptr == end ? end : read.ptr + 1;
    }
    constexpr std::int64_t kMost = std::int64_t{1} << 20;
    const bool fits = (numbers.size() == 3 || numbers.size() == 5) &&
                      std::ranges::all_of(numbers, [](std::int64_t n) { return n >= 0 && n <= kMost; }) &&
                      *std::ranges::min_element(numbers.begin(), numbers.begin() + 3) > 0;
    if (!fits)
        return Error{ErrorCode::BadUsage,
                     "--grid " + text +
                         ": FRAMES,ROWS,COLUMNS, or with TEXT_BEFORE,TEXT_BEHIND after them, was needed"};
    numbers.resize(5);
    return kernels::TokenGrid{numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]};
}

}  // namespace reelgrid::cli
