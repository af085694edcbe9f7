#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>

#include "core/base/pending_file.h"
#include "core/media/filter_graph.h"
#include "core/media/video_sink.h"

namespace reelgrid::media {

/// A GIF with one palette made for all its frames. The palette is known only after the last frame, so the
/// frames wait in a temporary file beside the output, not in memory.
class GifFile final : public VideoSink {
  public:
    static Result<std::unique_ptr<GifFile>> open(const std::filesystem::path& path,
                                                 const SinkOptions& options);

    Result<void> add(AVFrame& picture) override;
    Result<void> finish() override;

  private:
    struct CloseFile {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    using FileHandle = std::unique_ptr<std::FILE, CloseFile>;

    GifFile(std::filesystem::path path, const SinkOptions& options, PendingFile spool, FileHandle file,
            FilterGraph histogram);
    Result<void> spool(const AVFrame& picture);
    Result<void> unspool(AVFrame& picture);
    [[nodiscard]] std::size_t rowBytes() const { return std::size_t(m_options.width) * 3; }

    std::filesystem::path m_path;
    SinkOptions m_options;
    PendingFile m_spool;  // never committed
    FileHandle m_file;
    FilterGraph m_histogram;
    std::int64_t m_count = 0;
};

}  // namespace reelgrid::media
