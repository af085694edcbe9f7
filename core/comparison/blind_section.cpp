#include "core/comparison/blind_section.h"

#include <vector>

#include "core/base/number_text.h"
#include "core/comparison/blind_standing.h"
#include "core/comparison/html.h"
#include "core/comparison/report_backends.h"
#include "core/comparison/seen_votes.h"

namespace reelgrid::comparison {

namespace {

std::string percent(double share) {
    return fixed(share * 100, 0) + " %";
}

std::string row(const Entry& entry, const BlindStanding& standing) {
    const ShareInterval interval = standing.interval();
    const bool voted = standing.votes > 0;
    return "<tr><td>" + backendLink(entry) + "</td>" + cell(std::to_string(standing.votes)) +
           cell(std::to_string(standing.preferred)) + cell(std::to_string(standing.undecided)) +
           cell(voted ? percent(standing.score() / standing.votes) : "–") +
           cell(voted ? percent(interval.low) + " to " + percent(interval.high) : "–") +
           cell(std::to_string(standing.stillNeeded())) + "</tr>";
}

std::string ofOthers(int votes) {
    if (votes == 0) return {};
    return " " + std::string(votes == 1 ? "1 vote is" : std::to_string(votes) + " votes are") +
           " of other clips that were at these places: not counted.";
}

}  // namespace

std::string blindSection(const Report& report) {
    std::vector<std::filesystem::path> clips;
    std::vector<const Entry*> entries;
    for (const Entry& entry : report.entries) {
        if (entry.error) continue;
        clips.push_back(entry.clip);
        entries.push_back(&entry);
    }
    result::ComponentHasher hasher(result::KeptHashes::ofUser());
    const SeenVotes seen = seenVotes(votesAbout(clips, report.blindVotes), hasher);
    const auto standings = blindStandings(clips, seen.counted);
    int votes = 0;
    std::string rows;
    for (std::size_t i = 0; i < standings.size(); ++i) {
        votes += standings[i].votes;
        rows += row(*entries[i], standings[i]);
    }
    if (votes == 0 && seen.ofOthers == 0) return {};
    return "<h2>Blind test</h2><table><tr><th>backend</th><th>votes</th><th>preferred</th><th>no "
           "difference</th><th>share</th><th>95 %</th><th>votes still needed</th></tr>" +
           rows + "</table><p class=\"note\">" + std::to_string(votes / 2) +
           " pairs were shown without names, in an order and on sides by chance. No difference counts half "
           "for "
           "each of the two. The interval is Wilson’s of a binomial share. Votes still needed: as things "
           "stand, "
           "until it leaves 50 % out (a preference) or is at most 20 points wide (none that matters). Who "
           "stops "
           "as soon as that is reached finds a preference too often: decide on the number before." +
           ofOthers(seen.ofOthers) + "</p>";
}

}  // namespace reelgrid::comparison
