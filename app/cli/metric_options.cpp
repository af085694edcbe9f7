#include "app/cli/metric_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "app/cli/comma_list.h"
#include "app/cli/console.h"
#include "core/comparison/compared_frames.h"
#include "core/execution/execution.h"
#include "core/perception/metric_source.h"
#include "core/pipeline/input_pictures.h"

namespace reelgrid::cli {

void MetricOptions::addTo(CLI::App& command) {
    addCommaList(command, "--metrics", m_names,
                 "Also measure, with networks or programs that have to be there: " + metrics::askedNames());
    command
        .add_option("--metric-weights", m_weights,
                    "Where the weights of --metrics are: a folder, or a repository in the Hugging Face cache")
        ->type_name("DIR");
}

std::string MetricOptions::needingReference() const {
    for (const std::string& name : m_names)
        for (const metrics::AskedMetric& metric : metrics::kAskedMetrics)
            if (name == metric.name && metric.needsReference) return name;
    return {};
}

bool MetricOptions::takesPrompt() const {
    const auto asked = metrics::askedFrom(m_names);
    return asked && std::ranges::any_of(*asked, [](metrics::Asked metric) {
               return metric == metrics::Asked::Clip || metric == metrics::Asked::ClipL14;
           });
}

Result<void> MetricOptions::readSources(const std::stop_token& stop) {
    if (m_sources) return {};
    const auto asked = metrics::askedFrom(m_names);
    if (!asked) return asked.error();
    auto sources = perception::findHashedSources(*asked, m_weights, stop);
    if (!sources) return sources.error();
    m_sources = *std::move(sources);
    return {};
}

Result<std::string> MetricOptions::fingerprint(const std::stop_token& stop) {
    if (!any()) return std::string();
    if (auto read = readSources(stop); !read) return read.error();
    return perception::fingerprintOf(*m_sources);
}

Result<void> MetricOptions::load(const std::string& device) {
    if (!any() || m_perception) return {};
    if (auto read = readSources({}); !read) return read;
    const auto execution = execution::executionOn(device);
    if (!execution) return execution.error();
    auto perception = perception::Perception::load(*m_sources, *execution);
    if (!perception) return perception.error();
    m_perception.emplace(*std::move(perception));
    return {};
}

Result<void> MetricOptions::requireNames() const {
    if (!any() && !m_weights.empty())
        return Error{ErrorCode::BadUsage, "--metric-weights: it is for --metrics, which wasn't given"};
    const auto asked = metrics::askedFrom(m_names);
    if (!asked) return asked.error();
    return {};
}

Result<void> MetricOptions::requireSources() const {
    if (auto named = requireNames(); !named || !any()) return named;
    const auto sources = perception::findSources(metrics::askedFrom(m_names).value(), m_weights);
    if (!sources) return sources.error();
    return {};
}

Result<void> MetricOptions::requireSidesAgainstReference(const CheckedRequest& checked) const try {
    const auto asked = metrics::askedFrom(m_names);
    if (!asked) return asked.error();
    if (needingReference().empty()) return {};
    catalog::RenderSettings settings = checked.settings();
    pipeline::fitToPicture(settings, checked.model());
    for (const metrics::Asked metric : *asked)
        if (metrics::infoOf(metric).needsReference)
            if (auto fits = metrics::requireSides(metric, settings.width, settings.height); !fits)
                return fits;
    return {};
} catch (const Failure& failure) {
    return failure.error();
}

Result<void> MetricOptions::check() {
    if (auto named = requireNames(); !named || !any()) return named;
    if (auto read = readSources({}); !read) return read;
    const auto perception = perception::Perception::load(*m_sources, {});
    if (!perception) return perception.error();
    return {};
}

Result<bool> MetricOptions::measure(const std::filesystem::path& clip, const std::filesystem::path& reference,
                                    const std::string& prompt, metrics::ClipMetrics& into,
                                    const std::stop_token& stop) {
    const bool hasReference = !reference.empty() && reference != clip && into.drift.has_value();
    if (!m_perception || m_perception->isMeasured(into, hasReference)) return false;
    const comparison::ComparedPair frames =
        comparison::comparedPair(clip, hasReference ? reference : std::filesystem::path(), stop);
    const perception::Subject subject{frames.clip, frames.reference, prompt,
                                      frames.isLossless ? metrics::kKeptFrames : metrics::kDecodedClips};
    const auto remark = m_perception->measure(subject, into, stop);
    if (!remark) return remark.error().in(clip.filename().string());
    if (!remark->empty() && m_said.insert(*remark).second) say("note: " + *remark);
    return true;
}

}  // namespace reelgrid::cli
