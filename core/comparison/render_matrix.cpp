#include "core/comparison/render_matrix.h"

#include <algorithm>
#include <charconv>
#include <sstream>

#include "core/catalog/render_settings.h"
#include "core/comparison/entry.h"
#include "core/families/offered_tasks.h"
#include "core/protocol/step_cache_json.h"

namespace reelgrid::comparison {
namespace {

using protocol::RenderRequest;

template <class T>
std::vector<T> orOwn(std::vector<T> values, T own) {
    if (values.empty()) values.push_back(std::move(own));
    return values;
}

std::string trimmed(const std::string& text) {
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool readNumber(const std::string& words, std::uint64_t& number) {
    const std::string text = trimmed(words);
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
    return failed == std::errc() && end == text.data() + text.size();
}

/// What every job of the matrix for this model begins with.
RenderRequest requestFor(const RenderRequest& request, const families::ModelInfo& model) {
    if (request.model == model.id) return request;
    RenderRequest other;
    other.model = model.id;
    other.prompt = request.prompt;
    other.seed = request.seed;
    other.device = request.device;
    return other;
}

}  // namespace

Result<std::vector<std::uint64_t>> numbersFrom(const std::string& text, std::uint64_t least,
                                               const std::string& what) {
    std::vector<std::uint64_t> numbers;
    std::istringstream parts(text);
    for (std::string part; std::getline(parts, part, ',');) {
        part = trimmed(part);
        if (part.empty()) continue;
        const std::size_t dash = part.find('-');
        std::uint64_t first = 0, last = 0;
        const bool read = dash == std::string::npos ? readNumber(part, first) && readNumber(part, last)
                                                    : readNumber(part.substr(0, dash), first) &&
                                                          readNumber(part.substr(dash + 1), last);
        if (!read || first > last || first < least || last - first >= kMostMatrixJobs)
            return Error{ErrorCode::BadUsage, what + " " + part + ": a number from " + std::to_string(least) +
                                                  " or a range as 100-103 was needed"};
        for (std::uint64_t number = first;; ++number) {
            numbers.push_back(number);
            if (number == last) break;
        }
    }
    return numbers;
}

Result<std::vector<protocol::StepCache>> stepCachesFrom(const std::string& text) {
    std::vector<protocol::StepCache> caches;
    std::istringstream parts(text);
    for (std::string part; std::getline(parts, part, ',');) {
        if (trimmed(part).empty()) continue;
        auto cache = protocol::stepCacheFromOption(trimmed(part));
        if (!cache) return Error{cache.error().code, "step caches: " + cache.error().message};
        if (std::ranges::find(caches, *cache) == caches.end()) caches.push_back(*std::move(cache));
    }
    std::ranges::stable_partition(caches, [](const protocol::StepCache& cache) { return !cache.isOn(); });
    return caches;
}

Result<std::vector<MatrixJob>> matrixJobs(const RenderRequest& request, const MatrixAxes& axes,
                                          const machine::Machine& machine) {
    std::vector<std::string> backends = orOwn(axes.backends, request.attentionType);
    putReferenceFirst(backends, [](const std::string& name) { return name; });
    const auto policies = orOwn(axes.policies, NamedPolicy{"", request.attentionPolicy});
    const auto caches = orOwn(axes.stepCaches, request.stepCache);
    const auto prompts = orOwn(axes.prompts, request.prompt);
    const std::size_t count = prompts.size() * std::max<std::size_t>(1, axes.seeds.size()) *
                              axes.models.size() * std::max<std::size_t>(1, axes.steps.size()) *
                              policies.size() * caches.size() * backends.size();
    if (count > kMostMatrixJobs)
        return Error{ErrorCode::BadUsage, std::to_string(count) + " renders: at most " +
                                              std::to_string(kMostMatrixJobs) + " can be started at once"};
    std::vector<MatrixJob> jobs;
    int subject = 0;
    const auto addSubject = [&](const RenderRequest& of, std::size_t model) -> Result<void> {
        for (const NamedPolicy& policy : policies)
            for (const protocol::StepCache& cache : caches)
                for (const std::string& backend : backends) {
                    MatrixJob job{subject, model, of, policy.name};
                    job.request.attentionType = backend;
                    job.request.attentionPolicy = policy.policy;
                    job.request.stepCache = cache;
                    job.request.output.clear();
                    const auto settings = catalog::resolveSettings(job.request, axes.models[model], machine);
                    if (!settings) return settings.error().in(axes.models[model].title);
                    jobs.push_back(std::move(job));
                }
        ++subject;
        return {};
    };
    for (const std::string& prompt : prompts)
        for (std::size_t seed = 0; seed < std::max<std::size_t>(1, axes.seeds.size()); ++seed)
            for (std::size_t model = 0; model < axes.models.size(); ++model)
                for (std::size_t steps = 0; steps < std::max<std::size_t>(1, axes.steps.size()); ++steps) {
                    RenderRequest own = requestFor(request, axes.models[model]);
                    own.prompt = families::takesPrompts(axes.models[model]) ? prompt : std::string();
                    if (!axes.seeds.empty()) own.seed = axes.seeds[seed];
                    if (!axes.steps.empty()) own.numInferenceSteps = axes.steps[steps];
                    if (auto added = addSubject(own, model); !added) return added.error();
                }
    return jobs;
}

}  // namespace reelgrid::comparison
