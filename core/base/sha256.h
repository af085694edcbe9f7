#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace reelgrid {

/// Incremental SHA-256 (FIPS 180-4) through OpenSSL.
class Sha256 {
  public:
    Sha256();
    ~Sha256();
    Sha256(Sha256&&) noexcept;
    Sha256& operator=(Sha256&&) noexcept;

    void add(std::span<const std::uint8_t> bytes);
    /// 64 lower-case hex digits; ends the computation.
    std::string finish();

  private:
    struct State;
    std::unique_ptr<State> m_state;
};

std::string sha256Hex(std::span<const std::uint8_t> bytes);
std::string sha256Hex(std::string_view text);
/// Of a regular file, as far as it reached when it was opened. Errors as openRegularFile()'s, naming the
/// file; Cancelled once `stop` was asked for.
Result<std::string> sha256OfFile(const std::filesystem::path& path, const std::stop_token& stop = {});

}  // namespace reelgrid
