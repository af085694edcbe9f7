#include "app/studio/suite/opened_suite.h"

#include "core/suite/suite_file.h"
#include "core/suite/suite_votes.h"

namespace reelgrid::studio {

Result<OpenedSuite> openedSuiteFrom(const nlohmann::json& document, const std::filesystem::path& file) {
    const std::filesystem::path folder = std::filesystem::absolute(file).lexically_normal().parent_path();
    auto result = suite::suiteFromJson(document, folder);
    if (!result) return result.error().in(file.string());
    auto votes = suite::readVotes(folder / suite::kVotesFile);
    if (!votes) return votes.error();
    return OpenedSuite{file, std::make_shared<const suite::SuiteResult>(*std::move(result)),
                       *std::move(votes)};
}

}  // namespace reelgrid::studio
