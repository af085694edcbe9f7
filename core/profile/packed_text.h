#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <streambuf>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace reelgrid::profile {

/// What an untrusted text may cost to read.
struct TextLimits {
    std::uint64_t bytes = std::uint64_t{16} << 30;     ///< unpacked
    std::uint64_t wordBytes = std::uint64_t{1} << 20;  ///< one JSON string or number: a reader holds it whole
    std::uint64_t blankBytes = std::uint64_t{1} << 20;  ///< white space on end: a reader holds that, too
    /// Unpacked to packed, past the first `grownBytes`: traces have 10 to 30.
    std::uint64_t growth = 100, grownBytes = std::uint64_t{64} << 20;
};

/// How much of a file, as it lies on the disk, has been read.
using ReadProgress = std::function<void(std::uint64_t bytes, std::uint64_t of)>;

/// The content of a file, unpacked while it is read when it is gzipped, in blocks. Ends early where
/// something is wrong with it: error() says what.
class PackedText final : public std::streambuf {
  public:
    /// NotFound or Io naming the file.
    static Result<std::unique_ptr<PackedText>> open(const std::filesystem::path& file,
                                                    const TextLimits& limits = {},
                                                    ReadProgress progress = {});
    ~PackedText() override;

    /// The first bytes, which are still to be read.
    [[nodiscard]] std::string beginning(std::size_t bytes);
    [[nodiscard]] const std::optional<Error>& error() const { return m_error; }

  protected:
    int_type underflow() override;

  private:
    struct File;
    PackedText(std::unique_ptr<File> file, std::filesystem::path name, const TextLimits& limits,
               ReadProgress progress);
    [[nodiscard]] bool wordsFit(const char* begin, const char* end);
    int_type fail(ErrorCode code, const std::string& message);

    std::unique_ptr<File> m_file;
    std::filesystem::path m_name;
    TextLimits m_limits;
    ReadProgress m_progress;
    std::vector<char> m_block;
    std::uint64_t m_bytes = 0;
    std::uint64_t m_wordBytes = 0, m_blankBytes = 0;
    bool m_inString = false, m_escaped = false;
    std::optional<Error> m_error;
};

}  // namespace reelgrid::profile
