#include "packaging/python/operators/gradients.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/dispatch/Dispatcher.h>

#include <vector>

namespace reelgrid::operators {
namespace {

void refuse(const c10::OperatorHandle& op, const c10::Argument& argument, const at::Tensor& x) {
    if (!x.defined()) return;
    TORCH_CHECK_NOT_IMPLEMENTED(!(c10::GradMode::is_enabled() && x.requires_grad()), op.schema().name(), ": ",
                                argument.name(),
                                " requires a gradient, which this operator doesn't have: call it under "
                                "torch.no_grad(), or give ",
                                argument.name(), ".detach()");
    TORCH_CHECK_NOT_IMPLEMENTED(!x._fw_grad(/*level=*/0).defined(), op.schema().name(), ": ", argument.name(),
                                " carries a tangent (forward-mode differentiation), which this operator "
                                "doesn't have");
}

void withoutGradient(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack) {
    const auto& arguments = op.schema().arguments();
    std::vector<at::Tensor> written;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const c10::IValue& value = (*stack)[stack->size() - arguments.size() + i];
        if (value.isTensorList())
            for (const at::Tensor& x : value.toTensorVector()) refuse(op, arguments[i], x);
        if (!value.isTensor()) continue;
        refuse(op, arguments[i], value.toTensor());
        const c10::AliasInfo* alias = arguments[i].alias_info();
        if (alias != nullptr && alias->isWrite()) written.push_back(value.toTensor());
    }
    {
        const at::AutoDispatchBelowAutograd below;
        op.redispatchBoxed(keys & c10::after_autograd_keyset, stack);
    }
    for (const at::Tensor& x : written)
        if (!x.is_inference()) x.unsafeGetTensorImpl()->bump_version();
}

}  // namespace

void refuseGradients(torch::Library& library, std::initializer_list<const char*> ops) {
    for (const char* op : ops)
        library.impl(op, torch::CppFunction::makeFromBoxedFunction<&withoutGradient>());
}

}  // namespace reelgrid::operators
