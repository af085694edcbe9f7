#include "core/attention/plugin_guard.h"

#include <c10/util/Exception.h>

#include <chrono>
#include <optional>
#include <sstream>
#include <utility>

#include "core/base/result.h"

namespace reelgrid::attention {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kGuardBytes = 4096;
constexpr std::int64_t kPattern = 0xA5;
constexpr std::int64_t kNanBytes = 0xFF;

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

/// NaN, laid out [B, N, H, D].
at::Tensor outputIn(const GuardedMemory& memory, const at::Tensor& q_BHND) {
    return memory.bytes()
        .view(q_BHND.scalar_type())
        .view({q_BHND.size(0), q_BHND.size(2), q_BHND.size(1), q_BHND.size(3)})
        .transpose(1, 2);
}

GuardedMemory workspaceFor(const kernels::BackendInfo& backend, const Inputs& in, std::int64_t bytes) {
    try {
        return {bytes, in.q_BHND.device()};
    } catch (const c10::OutOfMemoryError&) {
        throw Failure(ErrorCode::OutOfMemory, nameInMessages(backend) + " asked for a workspace of " +
                                                  std::to_string(bytes) + " bytes in a call of " +
                                                  textOf(in) + ": more than " + in.q_BHND.device().str() +
                                                  " has");
    }
}

bool areAlike(const at::Tensor& a, const at::Tensor& b) {
    return !a.defined() || a.eq(b).logical_or_(a.isnan().logical_and_(b.isnan())).all().item<bool>();
}

void checkOutput(const kernels::BackendInfo& backend, const Inputs& in, const at::Tensor& out_BHND) {
    if (!isFinite(out_BHND) && areFinite(in))
        blame(nameInMessages(backend), kNotFinite + (" of a call of " + textOf(in)));
}

void checkSurroundings(const kernels::BackendInfo& backend, const Inputs& in, const GuardedMemory& memory,
                       const char* what) {
    if (!memory.isIntact()) blame(nameInMessages(backend), what + (" in a call of " + textOf(in)));
}

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

std::string nameInMessages(const kernels::BackendInfo& backend) {
    return "plug-in " + std::string(backend.name) + " (" + backend.plugin->description.file + ")";
}

InputsBefore::InputsBefore(const Inputs& in)
    : m_before{in.q_BHND.clone(), in.k_BHMD.clone(), in.v_BHMD.clone(),
               in.keyBias_M.defined() ? in.keyBias_M.clone() : at::Tensor()} {}

bool InputsBefore::isStill(const Inputs& in) const {
    return areAlike(m_before.q_BHND, in.q_BHND) && areAlike(m_before.k_BHMD, in.k_BHMD) &&
           areAlike(m_before.v_BHMD, in.v_BHMD) && areAlike(m_before.keyBias_M, in.keyBias_M);
}

GuardedMemory::GuardedMemory(std::int64_t bytes, at::Device device)
    : m_memory(at::full({kGuardBytes + bytes + kGuardBytes}, kPattern,
                        at::TensorOptions(at::kByte).device(device))),
      m_bytes(m_memory.narrow(0, kGuardBytes, bytes)) {
    m_bytes.fill_(kNanBytes);
}

bool GuardedMemory::isIntact() const {
    const std::int64_t after = m_memory.size(0) - kGuardBytes;
    return m_memory.narrow(0, 0, kGuardBytes).eq(kPattern).all().item<bool>() &&
           m_memory.narrow(0, after, kGuardBytes).eq(kPattern).all().item<bool>();
}

at::Tensor PluginGuard::run(const PlannedCall& call, const kernels::BackendInfo& backend, const Inputs& in) {
    m_lookingSeconds = 0;
    std::optional<Timed> looking(m_lookingSeconds);
    const bool isFirst = m_seen.insert(callOf(backend, in)).second;
    const bool looksNow = isFirst || in.q_BHND.is_cpu();
    std::optional<InputsBefore> before;
    if (looksNow) before.emplace(in);
    const GuardedMemory output(in.q_BHND.numel() * static_cast<std::int64_t>(in.q_BHND.element_size()),
                               in.q_BHND.device());
    const at::Tensor out_BHND = outputIn(output, in.q_BHND);
    std::optional<GuardedMemory> workspace;
    if (call.workspaceBytes > 0) workspace = workspaceFor(backend, in, call.workspaceBytes);
    looking.reset();
    try {
        call.runInto(out_BHND, workspace ? workspace->bytes() : at::Tensor());
        looking.emplace(m_lookingSeconds);
        if (looksNow) {
            checkSurroundings(backend, in, output, "wrote outside its output");
            if (workspace) checkSurroundings(backend, in, *workspace, "wrote outside its workspace");
            checkOutput(backend, in, out_BHND);
            if (!before->isStill(in))
                blame(nameInMessages(backend), "changed its inputs in a call of " + textOf(in));
        }
    } catch (const c10::AcceleratorError& failure) {
        if (!isFirst) throw;  // what was queued before may be to blame
        throw Failure(ErrorCode::DeviceLost, nameInMessages(backend) + " made the GPU fail in a call of " +
                                                 textOf(in) + ": " + failure.what_without_backtrace());
    }
    if (!looksNow) {
        const at::Tensor isFinite = at::isfinite(out_BHND).all();
        at::Tensor& all = m_isFinite[nameInMessages(backend)];
        all = all.defined() ? all.logical_and(isFinite) : isFinite;
    }
    return out_BHND;
}

void PluginGuard::endPass() {
    for (const auto& [plugin, isFinite] : std::exchange(m_isFinite, {}))
        if (!isFinite.item<bool>()) blame(plugin, kNotFinite);
}

}  // namespace reelgrid::attention
