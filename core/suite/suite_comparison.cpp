#include "core/suite/suite_comparison.h"

#include <algorithm>

#include "core/suite/pairs.h"

namespace reelgrid::suite {
namespace {

using nlohmann::json;
using result::Manifest;
using What = NotCompared::What;
using comparison::differencesBetween;
using comparison::RenderDifferences;

/// "cuda:1" → "cuda": which of a machine's GPUs it was matters to nobody.
std::string deviceKindOf(const Manifest& manifest) {
    return manifest.device.substr(0, manifest.device.find(':'));
}

/// "cpu: AMD EPYC 9B14, avx512, 2 threads"; "cuda: NVIDIA H100 80GB HBM3 on gpu03"
std::string machineOf(const Manifest& manifest) {
    std::string text = deviceKindOf(manifest);
    const auto add = [&](const std::string& word) {
        if (!word.empty()) text += (text == deviceKindOf(manifest) ? ": " : ", ") + word;
    };
    add(manifest.deviceName);
    if (text == "cpu" || manifest.deviceName.empty()) {
        add(manifest.processor);
        add(manifest.instructionSet);
        if (manifest.threads > 0)
            add(std::to_string(manifest.threads) + (manifest.threads == 1 ? " thread" : " threads"));
    }
    return manifest.machine.empty() ? text : text + " on " + manifest.machine;
}

/// The machine with the versions of what ran there: "cpu: …; libtorch 2.11.0, reelgrid 0.1.0".
std::string placeOf(const Manifest& manifest) {
    constexpr std::size_t kHashDigits = 8;
    std::string versions;
    const auto add = [&](const std::string& name, const std::string& version) {
        versions += (versions.empty() ? "; " : ", ") + name + " " + version;
    };
    for (const auto& [name, version] : manifest.versions) add(name, version);
    for (const result::PluginRecord& plugin : manifest.plugins)
        add("plug-in " + plugin.backend, plugin.sha256.substr(0, kHashDigits));
    return machineOf(manifest) + versions;
}

/// As far as both say.
bool isSameMachine(const Manifest& a, const Manifest& b) {
    const auto agree = [](const std::string& own, const std::string& other) {
        return own.empty() || other.empty() || own == other;
    };
    return deviceKindOf(a) == deviceKindOf(b) && a.deviceName == b.deviceName && a.machine == b.machine &&
           agree(a.instructionSet, b.instructionSet) && agree(a.processor, b.processor) &&
           (deviceKindOf(a) != "cpu" || a.threads == b.threads);
}

void addOnce(std::vector<std::string>& texts, const std::string& text) {
    if (std::ranges::find(texts, text) == texts.end()) texts.push_back(text);
}

/// As a difference has it.
std::string shownRemark(const std::string& remark) {
    return remark.empty() ? "as asked" : remark;
}

class Comparing {
  public:
    Comparing(SuiteResult& result, const OtherSuite& other) : m_result(result), m_other(other) {
        for (const Axis& axis : result.plan.axes) m_varied.insert(axis.key);
        // What decides attention is a reference's by its first value.
        for (const Axis& axis : result.plan.axes) {
            const auto first = other.firstValues.find(axis.key);
            if (decidesAttention(axis.key) && first != other.firstValues.end() &&
                first->second != axis.values.front())
                m_otherReference.push_back({"reference." + axis.key, axis.values.front(), first->second});
        }
        m_notes.folder = other.file.parent_path().string();
    }

    void run() {
        for (const SuiteRow& row : m_result.rows) compare(row);
        for (const auto& [backend, measures] : m_pairs) {
            SuiteResult::Against against{m_notes.folder, backend, {}, remarkOf(m_result.values, backend)};
            for (const SuiteMeasure& measure : suiteMeasures()) {
                const auto found = measures.find(measure.key);
                if (found == measures.end()) continue;
                MeasureSummary summary{&measure, *estimateOf(found->second.own), {}, {}};
                found->second.pairs.into(summary);
                against.measures.push_back(summary);
            }
            m_result.against.push_back(std::move(against));
        }
        m_result.againstNotes = std::move(m_notes);
    }

  private:
    struct Compared {
        Pairs pairs;
        ByPrompt own;
    };

    void compare(const SuiteRow& row) {
        const SuiteJob& job = m_result.plan.jobs[row.job];
        const OtherSuite::Job* same = m_other.find(m_result.plan, job);
        // A job that failed on either side has nothing to be compared.
        if (same == nullptr || row.measured.empty() || same->measured.empty()) return;
        RenderDifferences differences;
        if (row.manifest && same->manifest)
            differences = differencesBetween(*row.manifest, *same->manifest, m_varied);
        if (same->remark && *same->remark != row.remark)
            differences.picture.push_back({"what ran", shownRemark(row.remark), shownRemark(*same->remark)});
        if (!differences.picture.empty()) {
            differences.picture.insert(differences.picture.end(), differences.cost.begin(),
                                       differences.cost.end());
            return note(What::All, std::move(differences.picture), row.job);
        }
        bool isCompared = false, lacksDrift = false;
        for (const SuiteMeasure& measure : suiteMeasures()) {
            const auto own = numberAt(row.measured, measure), other = numberAt(same->measured, measure);
            if (!own || !other) continue;
            if (measure.tells == Tells::Cost && !differences.cost.empty()) continue;
            if (measure.tells == Tells::Drift && !m_otherReference.empty()) {
                lacksDrift = true;
                continue;
            }
            const std::string prompt = m_result.plan.text(job, "prompt");
            Compared& compared = m_pairs[m_result.plan.text(job, kBackendAxis)][measure.key];
            compared.pairs.add(prompt, *own, *other, measure.better);
            compared.own[prompt].push_back(*own);
            isCompared = true;
        }
        if (!differences.cost.empty()) note(What::Cost, std::move(differences.cost), row.job);
        if (lacksDrift) note(What::Drift, m_otherReference, row.job);
        if (isCompared) notePlaces(row.manifest, same->manifest);
    }
    void note(What what, std::vector<FieldDifference> fields, std::size_t job) {
        for (NotCompared& group : m_notes.notCompared)
            if (group.what == what && group.fields == fields) return group.jobs.push_back(job);
        m_notes.notCompared.push_back({what, std::move(fields), {job}});
    }
    void notePlaces(const std::optional<Manifest>& own, const std::optional<Manifest>& other) {
        if (own) addOnce(m_notes.here, placeOf(*own));
        if (other) addOnce(m_notes.there, placeOf(*other));
        if (!own || !other)
            ++m_notes.untold;
        else if (!isSameMachine(*own, *other))
            ++m_notes.otherMachines;
    }

    SuiteResult& m_result;
    const OtherSuite& m_other;
    std::set<std::string> m_varied;
    std::vector<FieldDifference> m_otherReference;
    AgainstNotes m_notes;
    std::map<std::string, std::map<std::string, Compared>> m_pairs;  ///< by backend and measure
};

}  // namespace

void compareWith(SuiteResult& result, const OtherSuite& other) {
    Comparing(result, other).run();
}

}  // namespace reelgrid::suite
