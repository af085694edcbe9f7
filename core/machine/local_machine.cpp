#include "core/machine/local_machine.h"

#include <mutex>

namespace reelgrid::machine {

struct LocalMachine::Found {
    std::once_flag looked;
    Machine machine;
};

LocalMachine::LocalMachine() : m_found(std::make_shared<Found>()) {}

Machine LocalMachine::now() const {
    std::call_once(m_found->looked, [this] {
        m_found->machine.gpus = devices::surveyGpus();
        m_found->machine.cpu = inspectCpu();
    });
    Machine machine = m_found->machine;
    addListedBackends(machine);
    return machine;
}

}  // namespace reelgrid::machine
