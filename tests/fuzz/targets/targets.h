#pragma once

// The parsers by what they read, each with what is done to a thing that was taken: whoever takes a file goes
// on with it.

#include <string_view>

namespace reelgrid::fuzz {

// Weights and models
void readSafetensors(std::string_view bytes);
void readPtFile(std::string_view bytes);
void readPickle(std::string_view bytes);
void readLoraSettings(std::string_view bytes);
void readSingleFile(std::string_view bytes);
void readModelIndex(std::string_view bytes);

// Prompts
void readTokenizerJson(std::string_view bytes);
void readClipTokenizer(std::string_view bytes);
void readClipVocabulary(std::string_view bytes);
void readSpiece(std::string_view bytes);
void readCharsmap(std::string_view bytes);
void readPrompt(std::string_view bytes);

// What programs tell each other and keep
void readJsonText(std::string_view bytes);
void readRequest(std::string_view bytes);
void readRecipe(std::string_view bytes);
void readPolicy(std::string_view bytes);
void readRules(std::string_view bytes);
void readWorkerLines(std::string_view bytes);
void readSession(std::string_view bytes);
void readSuiteDocument(std::string_view bytes);
void readSuiteVotes(std::string_view bytes);
void readManifest(std::string_view bytes);
void readTimings(std::string_view bytes);
void readMetrics(std::string_view bytes);
void readMeasurement(std::string_view bytes);
void readMachine(std::string_view bytes);
void readPluginDescription(std::string_view bytes);
void readTraceFile(std::string_view bytes);
void readHubAnswer(std::string_view bytes);

// Clips and pictures
void readClip(std::string_view bytes);
void readPicture(std::string_view bytes);

}  // namespace reelgrid::fuzz
