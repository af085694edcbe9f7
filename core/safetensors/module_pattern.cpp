#include "core/safetensors/module_pattern.h"

#include <algorithm>
#include <memory>
#include <regex>
#include <string_view>

#include "core/base/result.h"
#include "core/safetensors/header.h"

namespace reelgrid::safetensors {
namespace {

/// Far above the names of modules; an expression may nest its brackets no deeper.
constexpr std::size_t kMostPatternLetters = 512;

bool isLetterOfName(char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') || letter == '_' || letter == '-' || letter == '.';
}

/// A name is an expression, too: its dots stand for any letter.
bool endsWith(std::string_view module, std::string_view name, bool isWhole) {
    if (module.size() < name.size()) return false;
    const std::string_view end = module.substr(module.size() - name.size());
    const bool isAlike = std::equal(end.begin(), end.end(), name.begin(), [](char letter, char expected) {
        return expected == '.' || letter == expected;
    });
    const bool startsThere = end.size() == module.size() || module[module.size() - end.size() - 1] == '.';
    return isAlike && (isWhole ? end.size() == module.size() : startsThere);
}

/// libstdc++'s matcher whose time can't explode: what a stranger wrote is matched with it.
std::regex expressionOf(const std::string& pattern, const std::string& where) {
    try {
        if (pattern.size() <= kMostPatternLetters)
            return std::regex("(.*\\.)?(" + pattern + ")$",
                              std::regex::ECMAScript | std::regex_constants::__polynomial);
    } catch (const std::regex_error&) {
        // Told below: the library's words name no pattern.
    }
    throw Failure(ErrorCode::Unsupported, where + ": pattern " + quotedName(pattern) +
                                              " can't be read, a module's name or an expression for it was "
                                              "needed");
}

}  // namespace

ModulePattern::ModulePattern(const std::string& pattern, const std::string& where) {
    const bool isWhole = pattern.starts_with('^');
    const std::string name = pattern.substr(isWhole ? 1 : 0);
    if (std::ranges::all_of(name, isLetterOfName)) {
        m_matches = [name, isWhole](const std::string& module) { return endsWith(module, name, isWhole); };
        return;
    }
    const auto expression = std::make_shared<const std::regex>(expressionOf(pattern, where));
    m_matches = [expression](const std::string& module) { return std::regex_match(module, *expression); };
}

}  // namespace reelgrid::safetensors
