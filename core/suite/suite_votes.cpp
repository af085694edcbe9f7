#include "core/suite/suite_votes.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/json.h"
#include "core/base/pending_file.h"
#include "core/protocol/field_reader.h"
#include "core/result/json_numbers.h"
#include "core/session/clip_path.h"
#include "core/session/vote_hashes.h"

namespace reelgrid::suite {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using session::BlindVote;

constexpr std::size_t kMostVotes = 100'000;
constexpr std::size_t kMostVoteBytes = std::size_t{16} << 20;

using Pair = std::pair<std::size_t, std::size_t>;

Pair inOrder(std::size_t a, std::size_t b) {
    return {std::min(a, b), std::max(a, b)};
}

/// Votes about rows that differ on one axis alone, as rows.
class RowVotes {
  public:
    RowVotes(const SuiteResult& suite, std::size_t axis) : m_suite(suite), m_axis(axis) {
        for (std::size_t i = 0; i < suite.rows.size(); ++i) m_rows.emplace(suite.rows[i].clip, i);
    }
    [[nodiscard]] std::optional<Pair> rowsOf(const BlindVote& vote) const {
        const auto first = m_rows.find(vote.first), second = m_rows.find(vote.second);
        if (first == m_rows.end() || second == m_rows.end()) return std::nullopt;
        if (!differHereAlone(first->second, second->second)) return std::nullopt;
        return Pair(first->second, second->second);
    }
    [[nodiscard]] std::size_t valueOf(std::size_t row) const { return at(row)[m_axis]; }
    /// The row that agrees with this one but for the axis's value.
    [[nodiscard]] std::size_t rowWith(std::size_t row, std::size_t value) const {
        std::size_t index = 0;
        for (std::size_t i = 0; i < m_suite.plan.axes.size(); ++i)
            index = index * m_suite.plan.axes[i].values.size() + (i == m_axis ? value : at(row)[i]);
        return index;
    }

  private:
    [[nodiscard]] const std::vector<std::size_t>& at(std::size_t row) const {
        return m_suite.plan.jobs[m_suite.rows[row].job].at;
    }
    [[nodiscard]] bool differHereAlone(std::size_t a, std::size_t b) const {
        for (std::size_t i = 0; i < m_suite.plan.axes.size(); ++i)
            if ((at(a)[i] != at(b)[i]) != (i == m_axis)) return false;
        return true;
    }

    const SuiteResult& m_suite;
    std::size_t m_axis;
    std::map<fs::path, std::size_t> m_rows;
};

/// One of those that have the fewest votes, by chance.
template <class Item>
Item oneOfTheFewest(std::vector<std::pair<Item, int>> counted, std::mt19937& chance) {
    const int fewest = std::ranges::min_element(counted, {}, &std::pair<Item, int>::second)->second;
    std::erase_if(counted, [&](const auto& each) { return each.second != fewest; });
    return counted[std::uniform_int_distribution<std::size_t>(0, counted.size() - 1)(chance)].first;
}

int countOf(const std::map<Pair, int>& counts, const Pair& pair) {
    const auto found = counts.find(pair);
    return found == counts.end() ? 0 : found->second;
}

Result<BlindVote> readVote(const json& object, const fs::path& folder, const std::string& what) {
    if (!object.is_object())
        return Error{ErrorCode::InvalidData, what + " " + showJson(object) + ": an object was needed"};
    std::string first, second, preferred;
    BlindVote vote;
    protocol::FieldReader fields(object, what, ErrorCode::InvalidData);
    fields.requireText("first", first, result::kMaxPathBytes);
    fields.requireText("second", second, result::kMaxPathBytes);
    fields.requireText("preferred", preferred, result::kMaxNameBytes);
    session::readHashes(fields, vote);
    if (auto read = fields.finish(); !read) return read.error();
    for (const auto& [stored, path] : {std::pair(&first, &vote.first), std::pair(&second, &vote.second)}) {
        const auto resolved = session::resolveClipPath(*stored, folder);
        if (!resolved || resolved->where == session::ClipPlace::Outside)
            return Error{ErrorCode::InvalidData, what + ": clip " + showJson(*stored) +
                                                     ": a file inside the suite's folder was needed"};
        *path = resolved->path;
    }
    for (const auto& [preference, name] : session::kPreferenceNames)
        if (preferred == name) {
            vote.preference = preference;
            return vote;
        }
    return Error{ErrorCode::InvalidData,
                 what + ": preferred " + showJson(preferred) + ": first, second or neither was needed"};
}

}  // namespace

std::optional<Pair> nextSuitePair(const SuiteResult& suite, std::size_t axis,
                                  const std::vector<BlindVote>& votes, std::mt19937& chance) {
    const RowVotes known(suite, axis);
    std::map<Pair, int> ofValues, ofRows;
    for (const BlindVote& vote : votes)
        if (const auto rows = known.rowsOf(vote)) {
            ++ofValues[inOrder(known.valueOf(rows->first), known.valueOf(rows->second))];
            ++ofRows[inOrder(rows->first, rows->second)];
        }
    std::map<Pair, std::vector<Pair>> shown;  // by values
    for (std::size_t row = 0; row < suite.rows.size(); ++row)
        for (std::size_t value = known.valueOf(row) + 1; value < suite.plan.axes[axis].values.size();
             ++value) {
            const std::size_t other = known.rowWith(row, value);
            if (!suite.rows[row].error && !suite.rows[other].error)
                shown[{known.valueOf(row), value}].emplace_back(row, other);
        }
    if (shown.empty()) return std::nullopt;
    std::vector<std::pair<Pair, int>> values, rows;
    for (const auto& [pair, subjects] : shown) values.emplace_back(pair, countOf(ofValues, pair));
    for (const Pair& pair : shown.at(oneOfTheFewest(values, chance)))
        rows.emplace_back(pair, countOf(ofRows, inOrder(pair.first, pair.second)));
    const Pair chosen = oneOfTheFewest(rows, chance);
    return std::bernoulli_distribution(0.5)(chance) ? Pair(chosen.second, chosen.first) : chosen;
}

std::vector<comparison::BlindStanding> standingsOf(const SuiteResult& suite, std::size_t axis,
                                                   const std::vector<BlindVote>& votes) {
    const RowVotes known(suite, axis);
    std::vector<fs::path> names;
    for (const json& value : suite.plan.axes[axis].values) names.emplace_back(valueText(value));
    std::vector<BlindVote> ofValues;
    for (const BlindVote& vote : votes)
        if (const auto rows = known.rowsOf(vote))
            ofValues.push_back(
                {names[known.valueOf(rows->first)], names[known.valueOf(rows->second)], vote.preference});
    return comparison::blindStandings(names, ofValues);
}

std::vector<BlindVote> votesOn(const SuiteResult& suite, std::size_t axis,
                               const std::vector<BlindVote>& votes) {
    const RowVotes known(suite, axis);
    std::vector<BlindVote> on;
    for (const BlindVote& vote : votes)
        if (known.rowsOf(vote)) on.push_back(vote);
    return on;
}

Result<std::vector<BlindVote>> readVotes(const fs::path& file) {
    auto document = readJsonObject(file, kMostVoteBytes);
    if (!document && document.error().code == ErrorCode::NotFound) return std::vector<BlindVote>();
    if (!document) return document.error();
    constexpr int kVersion = 1;
    int version = 0;
    protocol::FieldReader fields(*document, file.string(), ErrorCode::InvalidData);
    fields.integer("version", version);
    const json* list = fields.array("votes", kMostVotes, true);
    if (auto read = fields.finish(); !read) return read.error();
    if (version != kVersion)
        return Error{ErrorCode::InvalidData, file.string() + ": version " + std::to_string(version) + ": " +
                                                 std::to_string(kVersion) + " was needed"};
    std::vector<BlindVote> votes;
    const fs::path folder = fs::absolute(file).lexically_normal().parent_path();
    for (const json& each : *list) {
        auto vote = readVote(each, folder, "vote " + std::to_string(votes.size() + 1));
        if (!vote) return vote.error().in(file.string());
        votes.push_back(*std::move(vote));
    }
    return votes;
}

Result<void> saveVotes(const std::vector<BlindVote>& votes, const fs::path& file) {
    json document = {{"version", 1}, {"votes", json::array()}};
    const fs::path folder = fs::absolute(file).lexically_normal().parent_path();
    for (const BlindVote& vote : votes) {
        json& written =
            document["votes"].emplace_back(json{{"first", session::storedClipPath(vote.first, folder)},
                                                {"second", session::storedClipPath(vote.second, folder)},
                                                {"preferred", session::nameOf(vote.preference)}});
        session::writeHashes(vote, written);
    }
    return writeFile(file, printJsonIndented(document));
}

}  // namespace reelgrid::suite
