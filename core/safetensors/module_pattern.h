#pragma once

#include <functional>
#include <string>

namespace reelgrid::safetensors {

/// What a key of peft's rank_pattern or alpha_pattern says of modules: an expression that the end of a
/// module's name matches, from its beginning or from behind a dot on. Source: get_pattern_key() in peft's
/// utils/other.py.
class ModulePattern {
  public:
    /// Throws Failure(Unsupported): "WHERE: pattern … can't be read …".
    ModulePattern(const std::string& pattern, const std::string& where);

    [[nodiscard]] bool matches(const std::string& module) const { return m_matches(module); }

  private:
    std::function<bool(const std::string& module)> m_matches;
};

}  // namespace reelgrid::safetensors
