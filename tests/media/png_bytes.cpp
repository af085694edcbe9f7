#include "tests/media/png_bytes.h"

namespace reelgrid::media::test {

std::string numberText(std::uint32_t number) {
    std::string text;
    for (const int shift : {24, 16, 8, 0}) text += static_cast<char>(number >> shift & 0xFF);
    return text;
}

std::string pngChecksum(const std::string& bytes) {
    std::uint32_t crc = 0xFFFFFFFF;
    for (const char byte : bytes) {
        crc ^= static_cast<unsigned char>(byte);
        for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320U : 0U);
    }
    return numberText(~crc);
}

std::string pngOf(const std::vector<std::string>& chunks) {
    std::string png = "\x89PNG\r\n\x1a\n";
    for (const std::string& chunk : chunks)
        png += numberText(std::uint32_t(chunk.size() - 4)) + chunk + pngChecksum(chunk);
    return png;
}

std::string headerChunk(std::uint32_t width, std::uint32_t height, int depth, int colorType, int compression,
                        int filter, int interlace) {
    std::string chunk = "IHDR" + numberText(width) + numberText(height);
    for (const int value : {depth, colorType, compression, filter, interlace}) chunk += char(value);
    return chunk;
}

std::string dataChunk(const std::string& rows) {
    std::uint32_t low = 1, high = 0;
    for (const char byte : rows) {
        low = (low + static_cast<unsigned char>(byte)) % 65521;
        high = (high + low) % 65521;
    }
    const char size = char(rows.size());
    return std::string("IDAT\x78\x01\x01") + size + std::string(1, '\0') + char(~size) + '\xff' + rows +
           numberText(high << 16 | low);
}

}  // namespace reelgrid::media::test
