#include "core/profile/trace.h"

namespace reelgrid::profile {

namespace {

constexpr std::size_t kBytesOfAnEntry = 128;  // beside its text, about

}  // namespace

std::uint32_t Names::add(std::string_view text) {
    const auto [place, isNew] =
        m_numbers.try_emplace(std::string(text), static_cast<std::uint32_t>(m_texts.size()));
    if (!isNew) return place->second;
    m_bytes += text.size() + kBytesOfAnEntry;
    if (m_bytes > kMostBytes) {
        m_numbers.erase(place);
        return kNone;
    }
    m_texts.push_back(&place->first);
    return place->second;
}

}  // namespace reelgrid::profile
