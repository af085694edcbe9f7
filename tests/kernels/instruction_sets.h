#pragma once

// Every variant of the CPU kernels as a test's parameter: those that the machine lacks are skipped by name,
// never left out in silence.

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <optional>
#include <string>

#include "kernels/cpu/instruction_set.h"

namespace reelgrid::kernels::test {

inline constexpr std::array kInstructionSets{InstructionSet::Portable, InstructionSet::Avx2,
                                             InstructionSet::Avx512, InstructionSet::Amx};

/// Sets REELGRID_CPU while it lives.
class ForcedInstructionSet {
  public:
    explicit ForcedInstructionSet(const std::string& name) {
        if (const char* before = std::getenv("REELGRID_CPU")) m_before = before;
        setenv("REELGRID_CPU", name.c_str(), 1);
    }
    explicit ForcedInstructionSet(InstructionSet set) : ForcedInstructionSet(std::string(nameOf(set))) {}
    ~ForcedInstructionSet() {
        if (m_before)
            setenv("REELGRID_CPU", m_before->c_str(), 1);
        else
            unsetenv("REELGRID_CPU");
    }
    ForcedInstructionSet(const ForcedInstructionSet&) = delete;
    ForcedInstructionSet& operator=(const ForcedInstructionSet&) = delete;

  private:
    std::optional<std::string> m_before;
};

/// Why this machine can't run `set`; empty when it can.
inline std::string whyLacking(InstructionSet set) {
    if (set <= bestInstructionSet()) return "";
    switch (set) {
        case InstructionSet::Portable:
            break;
        case InstructionSet::Avx2:
            return "this processor has no AVX2 with FMA and F16C";
        case InstructionSet::Avx512:
            return "this processor has no AVX-512 with VNNI and BF16";
        case InstructionSet::Amx:
            return "this processor has no AMX, or the system doesn't grant it";
    }
    return "";
}

/// A fixture whose tests run on one variant; forceOrSkip() belongs into SetUp().
class OnInstructionSet : public testing::Test {
  protected:
    void forceOrSkip(InstructionSet set) {
        if (const std::string why = whyLacking(set); !why.empty()) GTEST_SKIP() << why;
        m_forced.emplace(set);
    }

  private:
    std::optional<ForcedInstructionSet> m_forced;
};

/// Of a method (with a `name`) and the variant that it runs on: "Fav2_avx512".
inline constexpr auto nameOfMethodAndSet = [](const auto& each) {
    return std::string(std::get<0>(each.param).name) + "_" + nameOf(std::get<1>(each.param));
};

}  // namespace reelgrid::kernels::test
