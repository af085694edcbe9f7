#include "tests/fuzz/target.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "core/base/result.h"
#include "tests/fuzz/targets/targets.h"

namespace reelgrid::fuzz {
namespace {

constexpr std::array kTargets{
    Target{"measurement", readMeasurement, "json"},
    Target{"charsmap", readCharsmap, ""},
    Target{"clip", readClip, "containers"},
    Target{"clip_tokenizer", readClipTokenizer, "json"},
    Target{"clip_vocabulary", readClipVocabulary, "json"},
    Target{"hub", readHubAnswer, "json"},
    Target{"json", readJsonText, "json"},
    Target{"lora", readLoraSettings, "json"},
    Target{"machine", readMachine, "json"},
    Target{"manifest", readManifest, "json"},
    Target{"metrics", readMetrics, "json"},
    Target{"model_index", readModelIndex, "json"},
    Target{"pickle", readPickle, "pickle"},
    Target{"picture", readPicture, "pictures"},
    Target{"plugin", readPluginDescription, "json"},
    Target{"policy", readPolicy, "json"},
    Target{"prompt", readPrompt, ""},
    Target{"pt", readPtFile, "pickle"},
    Target{"recipe", readRecipe, "json"},
    Target{"request", readRequest, "json"},
    Target{"rules", readRules, ""},
    Target{"safetensors", readSafetensors, "json"},
    Target{"session", readSession, "json"},
    Target{"single_file", readSingleFile, "json"},
    Target{"spiece", readSpiece, ""},
    Target{"suite", readSuiteDocument, "json"},
    Target{"timing", readTimings, "json"},
    Target{"tokenizer", readTokenizerJson, "json"},
    Target{"trace", readTraceFile, "json"},
    Target{"votes", readSuiteVotes, "json"},
    Target{"worker", readWorkerLines, "json"},
};

}  // namespace

std::span<const Target> targets() {
    return kTargets;
}

const Target* targetOf(std::string_view name) {
    const auto found =
        std::ranges::find_if(kTargets, [&](const Target& target) { return name == target.name; });
    return found == kTargets.end() ? nullptr : &*found;
}

bool readByTarget(const Target& target, std::string_view bytes) {
    try {
        target.read(bytes);
        return true;
    } catch (const Failure& failure) {
        promise(!failure.error().message.empty(), "a refusal without a word");
        promise(failure.error().message.find('\n') == std::string::npos,
                "a refusal of several lines: " + failure.error().message);
        return false;
    }
}

double mostSeconds(std::size_t bytes) {
    constexpr std::size_t kKiB = 1024;
    return static_cast<double>(1 + bytes / kKiB);
}

void promise(bool kept, const std::string& what) {
    if (!kept) throw std::logic_error(what);
}

}  // namespace reelgrid::fuzz
