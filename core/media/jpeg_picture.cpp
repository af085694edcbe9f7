// jpeglib.h uses what these declare, and jerror.h what jpeglib.h does.
#include <cstddef>
#include <cstdio>

#include <jpeglib.h>

#include <jerror.h>

#include <algorithm>
#include <csetjmp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/media/image_limits.h"
#include "core/media/lossy_picture.h"
#include "core/media/rgb_frame.h"

namespace reelgrid::media {
namespace {

/// Progressive files can repeat their passes without end.
constexpr int kMostScans = 500;

/// Warnings after which libjpeg makes up what is missing. Others leave the picture whole: bytes between two
/// marks, which some cameras write.
bool isMadeUp(int warning) {
    return warning == JWRN_JPEG_EOF || warning == JWRN_HIT_MARKER || warning == JWRN_HUFF_BAD_CODE ||
           warning == JWRN_MUST_RESYNC;
}

/// libjpeg's state; its errors jump back to where a call was guarded, so nothing with a destructor may live
/// there.
struct JpegReader {
    jpeg_decompress_struct jpeg{};
    jpeg_error_mgr errors{};
    jpeg_progress_mgr progress{};
    std::jmp_buf failed{};
    bool isDamaged = false;
    int stepless = 0, scanless = 0;  ///< a component's number, from 1; 0: none

    static JpegReader& of(j_common_ptr jpeg) { return *static_cast<JpegReader*>(jpeg->client_data); }

    explicit JpegReader(const std::string& bytes) {
        jpeg.err = jpeg_std_error(&errors);
        errors.error_exit = [](j_common_ptr common) { std::longjmp(of(common).failed, 1); };
        errors.output_message = [](j_common_ptr) {};
        errors.emit_message = [](j_common_ptr common, int level) {
            if (level < 0 && isMadeUp(common->err->msg_code)) of(common).isDamaged = true;
        };
        jpeg.client_data = this;
        jpeg_create_decompress(&jpeg);
        progress.progress_monitor = [](j_common_ptr common) {
            if (of(common).jpeg.input_scan_number > kMostScans) std::longjmp(of(common).failed, 1);
        };
        jpeg.progress = &progress;
        jpeg_mem_src(&jpeg, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
    }
    JpegReader(const JpegReader&) = delete;
    JpegReader& operator=(const JpegReader&) = delete;
    ~JpegReader() { jpeg_destroy_decompress(&jpeg); }

    /// False where the header is no JPEG's.
    bool readHeader() {
        if (setjmp(failed) != 0) return false;
        return jpeg_read_header(&jpeg, TRUE) == JPEG_HEADER_OK;
    }

    /// Rows of `stride` bytes; false where they can't be decoded.
    bool readRows(std::uint8_t* rows, std::ptrdiff_t stride) {
        if (setjmp(failed) != 0) return false;
        jpeg_start_decompress(&jpeg);
        while (jpeg.output_scanline < jpeg.output_height) {
            JSAMPROW row = rows + std::ptrdiff_t(jpeg.output_scanline) * stride;
            jpeg_read_scanlines(&jpeg, &row, 1);
        }
        lookAtComponents();
        jpeg_finish_decompress(&jpeg);
        return !isDamaged;
    }

    /// What libjpeg decodes without a word. A scan brings its components' quantisation tables; that refining
    /// scans are left out is legal, and can't be told from a loss.
    void lookAtComponents() {
        for (int i = 0; i < jpeg.num_components; ++i) {
            const JQUANT_TBL* const table = jpeg.comp_info[i].quant_table;
            const bool hasAverages =
                table != nullptr &&
                (jpeg.progressive_mode == FALSE || jpeg.coef_bits == nullptr || jpeg.coef_bits[i][0] >= 0);
            if (!hasAverages && scanless == 0) scanless = i + 1;
            if (table != nullptr && stepless == 0 && std::ranges::count(table->quantval, 0) > 0)
                stepless = i + 1;
        }
    }

    /// After rows were read, as the end of a message; nothing of sound components.
    [[nodiscard]] std::optional<std::string> faultOfComponents() const {
        const auto named = [](int component) { return "component " + std::to_string(component); };
        if (stepless != 0)
            return "the quantisation table (DQT) of " + named(stepless) + " has a 0, at least 1 was needed";
        if (scanless != 0)
            return "no scan (SOS) has the averages (DC) of " + named(scanless) + ", it may be cut short";
        return std::nullopt;
    }
};

/// Pillow's: black takes light away from what the inks leave. As Adobe's files do, whether they name it or
/// not, they store how little ink there is.
void rgbFromInks(const std::uint8_t* cmyk, std::uint8_t* rgb, int width) {
    for (int x = 0; x < width; ++x, cmyk += 4, rgb += 3) {
        const auto ink = [&](int i) { return 255 - cmyk[i]; };
        const int light = 255 - ink(3);
        for (int i = 0; i < 3; ++i) {
            const int product = ink(i) * light + 128;
            rgb[i] = std::uint8_t(light - ((product + (product >> 8)) >> 8));
        }
    }
}

}  // namespace

Result<FrameHandle> decodeJpeg(const std::string& bytes) {
    const Error damaged{ErrorCode::InvalidData, "not a picture that can be decoded as JPEG"};
    const auto reader = std::make_unique<JpegReader>(bytes);
    if (!reader->readHeader()) return damaged;
    jpeg_decompress_struct& jpeg = reader->jpeg;
    if (!isSaneSize(jpeg.image_width, jpeg.image_height)) return damaged;
    const bool hasInks = jpeg.num_components == 4;
    jpeg.out_color_space = hasInks ? JCS_CMYK : JCS_RGB;
    const int width = int(jpeg.image_width), height = int(jpeg.image_height);
    auto frame = rgbFrame(width, height);
    if (!frame) return frame.error();
    std::uint8_t* const rows = (*frame)->data[0];
    const std::ptrdiff_t stride = (*frame)->linesize[0];
    std::vector<std::uint8_t> inks;
    if (hasInks) inks.resize(std::size_t(4) * std::size_t(width) * std::size_t(height));
    const bool isRead =
        hasInks ? reader->readRows(inks.data(), 4 * std::ptrdiff_t(width)) : reader->readRows(rows, stride);
    if (!isRead) return damaged;
    if (const auto fault = reader->faultOfComponents())
        return Error{ErrorCode::InvalidData, "it is damaged: " + *fault};
    if (!hasInks) return frame;
    for (int y = 0; y < height; ++y)
        rgbFromInks(inks.data() + std::size_t(4) * std::size_t(width) * std::size_t(y), rows + y * stride,
                    width);
    return frame;
}

}  // namespace reelgrid::media
