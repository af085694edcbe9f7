#include "core/media/gif_file.h"

#include <cerrno>
#include <cstring>
#include <string>

#include "core/media/av_error.h"
#include "core/media/encoded_file.h"

namespace reelgrid::media {
namespace {

namespace fs = std::filesystem;

FilterInput rgbInput(const SinkOptions& options) {
    return {"in", options.width, options.height, AV_PIX_FMT_RGB24, options.fps};
}

}  // namespace

GifFile::GifFile(fs::path path, const SinkOptions& options, PendingFile spool, FileHandle file,
                 FilterGraph histogram)
    : m_path(std::move(path)),
      m_options(options),
      m_spool(std::move(spool)),
      m_file(std::move(file)),
      m_histogram(std::move(histogram)) {}

Result<std::unique_ptr<GifFile>> GifFile::open(const fs::path& path, const SinkOptions& options) {
    // Both are made here so that a folder that can't be written to is known before the first frame.
    auto final = PendingFile::create(path);
    if (!final) return final.error();
    fs::path spoolName = path;
    spoolName += ".frames";
    auto spool = PendingFile::create(spoolName);
    if (!spool) return spool.error();
    FileHandle file(std::fopen(spool->path().c_str(), "w+b"));
    if (!file)
        return Error{ErrorCode::Io, "can't write " + spool->path().string() + ": " + std::strerror(errno)};
    auto histogram = FilterGraph::create("[in]palettegen=stats_mode=full[out]", {rgbInput(options)});
    if (!histogram) return histogram.error().in(path.string());
    return std::unique_ptr<GifFile>(
        new GifFile(path, options, std::move(*spool), std::move(file), std::move(*histogram)));
}

Result<void> GifFile::spool(const AVFrame& picture) {
    for (int row = 0; row < m_options.height; ++row)
        if (std::fwrite(picture.data[0] + std::ptrdiff_t(row) * picture.linesize[0], 1, rowBytes(),
                        m_file.get()) != rowBytes())
            return Error{ErrorCode::Io, "can't write " + m_path.string() +
                                            " (its frames on the way): " + std::strerror(errno)};
    return {};
}

Result<void> GifFile::unspool(AVFrame& picture) {
    for (int row = 0; row < m_options.height; ++row)
        if (std::fread(picture.data[0] + std::ptrdiff_t(row) * picture.linesize[0], 1, rowBytes(),
                       m_file.get()) != rowBytes())
            return Error{ErrorCode::Io, "can't read back the frames of " + m_path.string()};
    return {};
}

Result<void> GifFile::add(AVFrame& picture) {
    picture.pts = m_count++;
    if (auto done = spool(picture); !done) return done;
    if (auto done = m_histogram.push("in", picture); !done) return done.error().in(m_path.string());
    auto pulled = m_histogram.pull();  // nothing before the end, but this makes the filter run
    if (!pulled) return pulled.error().in(m_path.string());
    return {};
}

Result<void> GifFile::finish() {
    if (m_count == 0)
        return Error{ErrorCode::BadUsage, m_path.string() + ": a clip needs at least one frame"};
    if (std::fflush(m_file.get()) != 0)
        return Error{ErrorCode::Io, "can't write " + m_path.string() + ": " + std::strerror(errno)};
    std::rewind(m_file.get());
    if (auto done = m_histogram.end("in"); !done) return done.error().in(m_path.string());
    auto palette = m_histogram.pull();
    if (!palette) return palette.error().in(m_path.string());
    if (!*palette) return Error{ErrorCode::Internal, m_path.string() + ": no palette could be made"};

    const AVFrame& colors = **palette;
    auto graph = FilterGraph::create(
        "[in][palette]paletteuse=dither=sierra2_4a:diff_mode=rectangle[out]",
        {rgbInput(m_options),
         {"palette", colors.width, colors.height, AVPixelFormat(colors.format), m_options.fps}});
    if (!graph) return graph.error().in(m_path.string());
    if (auto done = graph->push("palette", **palette); !done) return done.error().in(m_path.string());
    if (auto done = graph->end("palette"); !done) return done.error().in(m_path.string());

    auto file = EncodedFile::open(m_path, m_options, encodingOf(Container::Gif));
    if (!file) return file.error();
    const auto encodeReady = [&]() -> Result<void> {
        while (true) {
            auto picture = graph->pull();
            if (!picture) return picture.error().in(m_path.string());
            if (!*picture) return {};
            if (auto done = (*file)->add(**picture); !done) return done;
        }
    };
    for (std::int64_t i = 0; i < m_count; ++i) {
        auto picture = makePicture(m_options.width, m_options.height, AV_PIX_FMT_RGB24);
        if (!picture) return picture.error();
        if (auto done = unspool(**picture); !done) return done;
        (*picture)->pts = i;
        if (auto done = graph->push("in", **picture); !done) return done.error().in(m_path.string());
        if (auto done = encodeReady(); !done) return done;
    }
    if (auto done = graph->end("in"); !done) return done.error().in(m_path.string());
    if (auto done = encodeReady(); !done) return done;
    return (*file)->finish();
}

}  // namespace reelgrid::media
