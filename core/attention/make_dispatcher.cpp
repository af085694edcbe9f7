#include "core/attention/make_dispatcher.h"

#include <stdexcept>
#include <utility>

#include "kernels/backends/backend_list.h"
#include "kernels/cpu/instruction_set.h"

namespace reelgrid::attention {
namespace {

/// What --attention-type takes, separated by ", ".
std::string attentionTypes() {
    return kernels::backendNames() + ", " + protocol::kDefaultBackend;
}

}  // namespace

Result<std::unique_ptr<Dispatcher>> makeDispatcher(const std::string& attentionType) {
    return makeDispatcher(Policy(attentionType));
}

Result<std::unique_ptr<Dispatcher>> makeDispatcher(Policy policy, const execution::Execution& execution,
                                                   CallSettings settings) {
    for (const std::string& type : policy.backends())
        if (type != protocol::kDefaultBackend && kernels::findBackend(type) == nullptr)
            return Error{ErrorCode::BadUsage,
                         "--attention-type " + type + ": one of " + attentionTypes() + " was needed"};
    try {
        static_cast<void>(kernels::selectedInstructionSet());
    } catch (const std::runtime_error& error) {
        return Error{ErrorCode::BadUsage, error.what()};
    }
    return std::make_unique<Dispatcher>(std::move(policy), execution, std::move(settings));
}

}  // namespace reelgrid::attention
