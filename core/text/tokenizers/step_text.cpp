#include "core/text/tokenizers/step_text.h"

#include "core/base/result.h"

namespace reelgrid::text {

void appendBounded(std::string& text, std::string_view part) {
    if (part.size() > kMaxStepBytes - text.size())
        throw Failure(ErrorCode::InvalidData, "its normalizer and pre_tokenizer make more than " +
                                                  std::to_string(kMaxStepBytes) +
                                                  " bytes of a text, less was needed");
    text += part;
}

}  // namespace reelgrid::text
