#pragma once

#include <unistd.h>

#include <utility>

namespace reelgrid::jobs {

/// An open file descriptor, closed by the destructor; -1 is none.
class FileDescriptor {
  public:
    FileDescriptor() = default;
    explicit FileDescriptor(int descriptor) : m_descriptor(descriptor) {}
    FileDescriptor(FileDescriptor&& other) noexcept : m_descriptor(std::exchange(other.m_descriptor, -1)) {}
    FileDescriptor& operator=(FileDescriptor&& other) noexcept {
        if (this != &other) {
            reset();
            m_descriptor = std::exchange(other.m_descriptor, -1);
        }
        return *this;
    }
    ~FileDescriptor() { reset(); }

    [[nodiscard]] int get() const { return m_descriptor; }
    [[nodiscard]] bool open() const { return m_descriptor >= 0; }
    void reset() {
        if (m_descriptor >= 0) ::close(m_descriptor);
        m_descriptor = -1;
    }

  private:
    int m_descriptor = -1;
};

}  // namespace reelgrid::jobs
