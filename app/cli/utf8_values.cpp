#include "app/cli/utf8_values.h"

#include "app/cli/option_checks.h"
#include "core/base/utf8.h"

namespace reelgrid::cli {

void refuseOtherThanUtf8(CLI::App& program) {
    checkOptions(program, takesValue, whyNotUtf8);
}

}  // namespace reelgrid::cli
