#include "core/media/label_image.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/resources.h"
#include "core/base/utf8.h"
#include "core/media/av_error.h"
#include "core/media/av_handles.h"

extern "C" {
#include <libavfilter/buffersink.h>
#include <libavfilter/buffersrc.h>
#include <libavutil/opt.h>
}

namespace reelgrid::media {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxCharacters = 200;
constexpr const char* kEllipsis = "\xe2\x80\xa6";

/// Characters of valid UTF-8, one string each; '?' for each byte that isn't part of any.
std::vector<std::string> charactersOf(const std::string& text) {
    std::vector<std::string> characters;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = utf8LengthAt(text, at);
        const auto lead = static_cast<unsigned char>(text[at]);
        if (length == 0) {
            characters.emplace_back("?");
            ++at;
        } else if (length == 1 && (lead < 0x20 || lead == 0x7f)) {
            characters.emplace_back(" ");
            ++at;
        } else {
            characters.push_back(text.substr(at, length));
            at += length;
        }
    }
    return characters;
}

std::string joined(const std::vector<std::string>& characters, std::size_t from, std::size_t to) {
    std::string text;
    for (std::size_t i = from; i < to; ++i) text += characters[i];
    return text;
}

/// The first and last characters of a text, `kept` in all, with an ellipsis between them.
std::string withoutMiddle(const std::vector<std::string>& characters, std::size_t kept) {
    if (kept >= characters.size()) return joined(characters, 0, characters.size());
    const std::size_t head = (kept + 1) / 2;
    return joined(characters, 0, head) + kEllipsis +
           joined(characters, characters.size() - kept / 2, characters.size());
}

using Font = std::array<std::string, 2>;  // drawtext's option and its value

/// Sets options one by one: no text ever goes through FFmpeg's quoting rules.
int configure(AVFilterContext* drawtext, const Font& font, const std::string& text, int fontSize,
              int baseline) {
    const std::array<std::array<std::string, 2>, 7> options{{
        {font[0], font[1]},
        {"text", text},
        {"expansion", "none"},
        {"fontsize", std::to_string(fontSize)},
        {"fontcolor", "white"},
        {"x", std::to_string(fontSize)},
        // The same baseline for every text, whatever letters it has.
        {"y", std::to_string(baseline) + "-ascent"},
    }};
    for (const auto& [name, value] : options)
        if (const int status = av_opt_set(drawtext, name.c_str(), value.c_str(), AV_OPT_SEARCH_CHILDREN);
            status < 0)
            return status;
    return avfilter_init_str(drawtext, nullptr);
}

Result<FrameHandle> blackPicture(int width, int height) {
    FrameHandle picture(av_frame_alloc());
    picture->width = width;
    picture->height = height;
    picture->format = AV_PIX_FMT_GRAY8;
    if (const int status = av_frame_get_buffer(picture.get(), 0); status < 0)
        return avError("picture of a label", status);
    std::memset(picture->data[0], 0, std::size_t(picture->linesize[0]) * std::size_t(height));
    picture->pts = 0;
    return picture;
}

/// One line of text, one font size from the left of a canvas wide enough for it.
Result<FrameHandle> drawLine(const Font& font, const std::string& text, int fontSize, int height) {
    // The widest glyphs are about as wide as the font's size.
    const int width = int(std::min<std::size_t>(16'000, (text.size() + 3) * std::size_t(fontSize) * 3 / 2));
    GraphHandle graph(avfilter_graph_alloc());
    graph->nb_threads = 1;
    const std::string arguments = "video_size=" + std::to_string(width) + "x" + std::to_string(height) +
                                  ":pix_fmt=gray:time_base=1/1:pixel_aspect=1/1";
    AVFilterContext* source = nullptr;
    AVFilterContext* sink = nullptr;
    int status = avfilter_graph_create_filter(&source, avfilter_get_by_name("buffer"), "in",
                                              arguments.c_str(), nullptr, graph.get());
    if (status < 0) return avError("label source", status);
    const AVFilter* filter = avfilter_get_by_name("drawtext");
    if (filter == nullptr)
        return Error{ErrorCode::Unsupported, "this machine's FFmpeg has no drawtext filter for labels"};
    AVFilterContext* drawtext = avfilter_graph_alloc_filter(graph.get(), filter, "text");
    status = configure(drawtext, font, text, fontSize, height * 7 / 10);
    if (status < 0) return avError("font " + font[1], status);
    status = avfilter_graph_create_filter(&sink, avfilter_get_by_name("buffersink"), "out", nullptr, nullptr,
                                          graph.get());
    if (status >= 0) status = avfilter_link(source, 0, drawtext, 0);
    if (status >= 0) status = avfilter_link(drawtext, 0, sink, 0);
    if (status >= 0) status = avfilter_graph_config(graph.get(), nullptr);
    if (status < 0) return avError("label filter", status);

    auto canvas = blackPicture(width, height);
    if (!canvas) return canvas.error();
    status = av_buffersrc_add_frame(source, canvas->get());
    if (status >= 0) status = av_buffersrc_add_frame(source, nullptr);
    FrameHandle drawn(av_frame_alloc());
    if (status >= 0) status = av_buffersink_get_frame(sink, drawn.get());
    if (status < 0) return avError("drawing a label", status);
    if (drawn->format != AV_PIX_FMT_GRAY8)
        return Error{ErrorCode::Internal, "a label was drawn in another format than it was asked for in"};
    return drawn;
}

struct Span {
    int first = 0;
    int end = 0;
    [[nodiscard]] int width() const { return end - first; }
};

/// The columns that the text covers.
Span inkOf(const AVFrame& drawn) {
    Span ink{drawn.width, 0};
    for (int row = 0; row < drawn.height; ++row) {
        const std::uint8_t* pixels = drawn.data[0] + std::ptrdiff_t(row) * drawn.linesize[0];
        for (int column = 0; column < drawn.width; ++column)
            if (pixels[column] != 0) {
                ink.first = std::min(ink.first, column);
                ink.end = std::max(ink.end, column + 1);
            }
    }
    if (ink.end == 0) ink = {};
    return ink;
}

/// drawtext quietly takes another font when it can't read the one it is given: look at the file's first
/// bytes.
bool looksLikeAFont(const fs::path& path) {
    std::array<char, 4> head{};
    std::ifstream(path, std::ios::binary).read(head.data(), head.size());
    const std::string_view magic(head.data(), head.size());
    constexpr std::array<std::string_view, 6> kKnown{
        std::string_view("\0\1\0\0", 4), "OTTO", "true", "ttcf", "wOFF", "wOF2"};
    return std::ranges::find(kKnown, magic) != kKnown.end();
}

/// The font the style names, or the first of the usual places that has one.
Result<Font> findFont(const LabelStyle& style) {
    std::vector<Font> candidates;
    if (!style.fontFile.empty()) {
        if (!fs::is_regular_file(style.fontFile))
            return Error{ErrorCode::NotFound, style.fontFile.string() + ": no such font file"};
        if (!looksLikeAFont(style.fontFile))
            return Error{ErrorCode::InvalidData,
                         style.fontFile.string() + ": not a TrueType or OpenType font"};
        candidates.push_back({"fontfile", style.fontFile.string()});
    } else {
        candidates.push_back({"font", "DejaVu Sans"});
        candidates.push_back({"fontfile", "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"});
        // An archive brings it along, for machines without fontconfig's files.
        candidates.push_back({"fontfile", (resourceFolder() / "fonts" / "DejaVuSans.ttf").string()});
    }
    std::string why;
    for (const Font& font : candidates) {
        auto drawn = drawLine(font, "A", 16, 32);
        if (drawn) return font;
        if (drawn.error().code == ErrorCode::Unsupported) return drawn.error();
        why += (why.empty() ? "" : "; ") + drawn.error().message;
    }
    return Error{ErrorCode::NotFound,
                 "no font to draw labels with (" + why + "): install fonts-dejavu-core or name a font file"};
}

struct Fitted {
    FrameHandle drawn;
    Span ink;
};

/// The largest drawing of the text that is at most `room` wide.
Result<Fitted> fit(const Font& font, const std::string& text, int room, int height, int fontSize) {
    const int smallest = std::max(8, fontSize / 2);
    const auto draw = [&](const std::string& line, int size) -> Result<Fitted> {
        auto drawn = drawLine(font, line, size, height);
        if (!drawn) return drawn.error();
        const Span ink = inkOf(**drawn);
        return Fitted{std::move(*drawn), ink};
    };
    auto best = draw(text, fontSize);
    for (int size = fontSize; best && best->ink.width() > room && size > smallest;) {
        size = std::clamp(size * room / best->ink.width(), smallest, size - 1);
        best = draw(text, size);
    }
    if (!best || best->ink.width() <= room) return best;

    const std::vector<std::string> characters = charactersOf(text);
    std::size_t low = 0;  // so many characters fit; the ellipsis alone is taken to
    std::size_t high = characters.size();
    best = draw(withoutMiddle(characters, 0), smallest);
    while (best && high - low > 1) {
        const std::size_t middle = (low + high) / 2;
        auto tried = draw(withoutMiddle(characters, middle), smallest);
        if (!tried) return tried;
        if (tried->ink.width() <= room) {
            low = middle;
            best = std::move(tried);
        } else {
            high = middle;
        }
    }
    return best;
}

}  // namespace

std::string printable(const std::string& text) {
    return withoutMiddle(charactersOf(text), kMaxCharacters);
}

Result<LabelImage> drawLabel(const std::string& text, int width, int height, const LabelStyle& style) {
    silenceAvLog();
    LabelImage image{width, height, {}};
    image.coverage.resize(std::size_t(width) * std::size_t(height), 0);
    const std::string line = printable(text);
    if (std::ranges::all_of(line, [](char c) { return c == ' '; })) return image;
    auto font = findFont(style);
    if (!font) return font.error();

    const int margin = std::min(style.fontSize / 4, width / 8);
    auto fitted = fit(*font, line, std::max(1, width - 2 * margin), height, style.fontSize);
    if (!fitted) return fitted.error();
    const Span ink = fitted->ink;
    const int shown = std::min(ink.width(), width);
    const int left = (width - shown) / 2;
    for (int row = 0; row < height; ++row)
        std::memcpy(image.coverage.data() + std::ptrdiff_t(row) * width + left,
                    fitted->drawn->data[0] + std::ptrdiff_t(row) * fitted->drawn->linesize[0] + ink.first,
                    std::size_t(shown));
    return image;
}

}  // namespace reelgrid::media
