#include "core/text/tokenizers/step_text.h"

#include "core/base/result.h"

namespace reelgrid::text {

void requireBounded(std::size_t bytes, std::size_t more) {
    if (more > kMaxStepBytes - bytes)
        throw Failure(ErrorCode::InvalidData, "its normalizer and pre_tokenizer make more than " +
                                                  std::to_string(kMaxStepBytes) +
                                                  " bytes of a text, less was needed");
}

void appendBounded(std::string& text, std::string_view part) {
    requireBounded(text.size(), part.size());
    text += part;
}

}  // namespace reelgrid::text
