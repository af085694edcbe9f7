#include "app/studio/suite/suite_blind_clips.h"

#include <nlohmann/json.hpp>

#include "app/studio/suite/suite_table.h"
#include "core/suite/suite_votes.h"
#include "widgets/theme/qt_text.h"
#include "widgets/theme/theme.h"

namespace reelgrid::studio {

SuiteBlindClips::SuiteBlindClips(std::shared_ptr<const suite::SuiteResult> suite, std::size_t axis,
                                 std::shared_ptr<SuiteVotes> votes)
    : m_suite(std::move(suite)), m_axis(axis), m_votes(std::move(votes)) {}

std::optional<std::pair<std::filesystem::path, std::filesystem::path>> SuiteBlindClips::next(
    std::mt19937& chance) const {
    const auto rows = suite::nextSuitePair(*m_suite, m_axis, m_votes->votes, chance);
    if (!rows) return std::nullopt;
    return std::pair(m_suite->rows[rows->first].clip, m_suite->rows[rows->second].clip);
}

void SuiteBlindClips::setVotes(std::vector<session::BlindVote> votes) {
    m_votes->votes = std::move(votes);
    m_votes->changed(m_votes->votes);
}

std::vector<BlindResult> SuiteBlindClips::results() const {
    const bool ofBackends = m_suite->plan.axes[m_axis].key == suite::kBackendAxis;
    std::vector<BlindResult> results;
    for (const auto& standing : suite::standingsOf(*m_suite, m_axis, m_votes->votes)) {
        const QString name = widgets::text(standing.clip.string());
        results.push_back(
            {name, ofBackends ? widgets::backendColor(name) : widgets::theme::kAccent, standing});
    }
    return results;
}

QString SuiteBlindClips::heading() const {
    return axisTitle(m_suite->plan.axes[m_axis].key);
}

}  // namespace reelgrid::studio
