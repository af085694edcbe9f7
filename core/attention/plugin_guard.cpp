#include "core/attention/plugin_guard.h"

#include <c10/util/Exception.h>

#include <chrono>
#include <sstream>

#include "core/base/result.h"

namespace reelgrid::attention {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kGuardBytes = 4096;
constexpr std::int64_t kPattern = 0xA5;
constexpr std::int64_t kNanBytes = 0xFF;  // a NaN in fp32, bf16 and fp16

std::string textOf(const Inputs& in) {
    std::ostringstream text;
    text << "q " << in.q_BHND.sizes() << ", k and v " << in.k_BHMD.sizes() << " "
         << at::toString(in.q_BHND.scalar_type());
    return text.str();
}

std::string callOf(const kernels::BackendInfo& backend, const Inputs& in) {
    std::ostringstream text;
    text << backend.name << " " << textOf(in) << " " << in.q_BHND.strides() << in.k_BHMD.strides()
         << in.v_BHMD.strides() << (in.keyBias_M.defined() ? " bias" : "");
    return text.str();
}

std::string nameOf(const kernels::BackendInfo& backend) {
    return "plug-in " + std::string(backend.name) + " (" + backend.plugin->description.file + ")";
}

[[noreturn]] void blame(const std::string& plugin, const std::string& what) {
    throw Failure(ErrorCode::Internal, plugin + " " + what);
}

bool isFinite(const at::Tensor& x) {
    return at::isfinite(x).all().item<bool>();
}

bool areFinite(const Inputs& in) {
    return isFinite(in.q_BHND) && isFinite(in.k_BHMD) && isFinite(in.v_BHMD);
}

constexpr const char* kNotFinite = "left NaN, infinite or unwritten values in its output";

/// Adds what it took to a sum.
class Timed {
  public:
    explicit Timed(double& sum) : m_sum(sum) {}
    Timed(const Timed&) = delete;
    Timed& operator=(const Timed&) = delete;
    ~Timed() { m_sum += std::chrono::duration<double>(Clock::now() - m_start).count(); }

  private:
    double& m_sum;
    Clock::time_point m_start = Clock::now();
};

}  // namespace

GuardedOutput::GuardedOutput(const at::Tensor& q_BHND) {
    const std::int64_t bytes = q_BHND.numel() * static_cast<std::int64_t>(q_BHND.element_size());
    m_memory = at::full({kGuardBytes + bytes + kGuardBytes}, kPattern, q_BHND.options().dtype(at::kByte));
    const at::Tensor own = m_memory.narrow(0, kGuardBytes, bytes);
    own.fill_(kNanBytes);
    m_out_BHND = own.view(q_BHND.scalar_type())
                     .view({q_BHND.size(0), q_BHND.size(2), q_BHND.size(1), q_BHND.size(3)})
                     .transpose(1, 2);
}

bool GuardedOutput::isIntact() const {
    const std::int64_t after = m_memory.size(0) - kGuardBytes;
    return m_memory.narrow(0, 0, kGuardBytes).eq(kPattern).all().item<bool>() &&
           m_memory.narrow(0, after, kGuardBytes).eq(kPattern).all().item<bool>();
}

void PluginGuard::checkNow(const kernels::BackendInfo& backend, const Inputs& in,
                           const GuardedOutput& output) {
    if (!output.isIntact()) blame(nameOf(backend), "wrote outside its output in a call of " + textOf(in));
    if (!isFinite(output.out_BHND()) && areFinite(in))
        blame(nameOf(backend), kNotFinite + (" of a call of " + textOf(in)));
}

at::Tensor PluginGuard::run(const KernelCall& call, const kernels::BackendInfo& backend, const Inputs& in) {
    m_lookingSeconds = 0;
    std::optional<Timed> before(m_lookingSeconds);
    const bool isFirst = m_seen.insert(callOf(backend, in)).second;
    Inputs copies;
    if (isFirst) copies = {in.q_BHND.clone(), in.k_BHMD.clone(), in.v_BHMD.clone(), {}};
    const GuardedOutput output(in.q_BHND);
    before.reset();
    if (in.q_BHND.is_cpu()) {
        call.runInto(backend, output.out_BHND());
        const Timed after(m_lookingSeconds);
        checkNow(backend, in, output);
    } else if (!isFirst) {
        call.runInto(backend, output.out_BHND());
        const at::Tensor finite = at::isfinite(output.out_BHND()).all();
        m_allFinite = m_allFinite.defined() ? m_allFinite.logical_and(finite) : finite;
        m_suspect = nameOf(backend);
    } else {
        try {
            call.runInto(backend, output.out_BHND());
            checkNow(backend, in, output);
        } catch (const c10::AcceleratorError& failure) {
            throw Failure(ErrorCode::DeviceLost, nameOf(backend) + " made the GPU fail in a call of " +
                                                     textOf(in) + ": " + failure.what_without_backtrace());
        }
    }
    if (isFirst &&
        !(at::equal(copies.q_BHND, in.q_BHND) && at::equal(copies.k_BHMD, in.k_BHMD) &&
          at::equal(copies.v_BHMD, in.v_BHMD)) &&
        areFinite(copies))
        blame(nameOf(backend), "changed its inputs in a call of " + textOf(in));
    return output.out_BHND();
}

void PluginGuard::endPass() {
    if (!m_allFinite.defined()) return;
    const at::Tensor finite = std::exchange(m_allFinite, {});
    if (!finite.item<bool>()) blame(m_suspect, kNotFinite);
}

}  // namespace reelgrid::attention
