#pragma once

#include <exception>
#include <string>
#include <utility>
#include <variant>

namespace reelgrid {

/// What kind of thing went wrong. BadUsage is the caller's words (exit code 2); the rest is exit code 1.
/// DeviceLost: a GPU failed under the process, which can't use it any more.
enum class ErrorCode {
    BadUsage,
    NotFound,
    InvalidData,
    Unsupported,
    OutOfMemory,
    DeviceLost,
    Io,
    Cancelled,
    Internal
};

/// One line for a person: the message names the object, the value it had and the value it needed.
struct Error {
    ErrorCode code = ErrorCode::Internal;
    std::string message;

    /// The same error, its message prefixed by what was being done: "loading transformer: …".
    [[nodiscard]] Error in(const std::string& doing) const { return {code, doing + ": " + message}; }
};

/// The exit code of a program that ends with this error: 2 for bad usage, else 1.
int exitCodeOf(ErrorCode code);

/// Stable lower-case name for machine output ("bad_usage", "not_found", …), and back.
const char* nameOf(ErrorCode code);
ErrorCode errorCodeFromName(const std::string& name);

/// An Error on its way through code that can't return Result (model constructors, libtorch callbacks).
/// Caught once, where a job runs.
class Failure : public std::exception {
  public:
    explicit Failure(Error error) : m_error(std::move(error)) {}
    Failure(ErrorCode code, std::string message) : m_error{code, std::move(message)} {}
    [[nodiscard]] const Error& error() const { return m_error; }
    [[nodiscard]] const char* what() const noexcept override { return m_error.message.c_str(); }

  private:
    Error m_error;
};

/// A value or the Error that stands in its place. value() of an error throws it as a Failure.
template <class T>
class [[nodiscard]] Result {
  public:
    Result(T value) : m_state(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : m_state(std::in_place_index<1>, std::move(error)) {}

    [[nodiscard]] bool ok() const { return m_state.index() == 0; }
    explicit operator bool() const { return ok(); }

    T& value() & {
        if (!ok()) throw Failure(error());
        return std::get<0>(m_state);
    }
    const T& value() const& {
        if (!ok()) throw Failure(error());
        return std::get<0>(m_state);
    }
    T&& value() && {
        if (!ok()) throw Failure(error());
        return std::get<0>(std::move(m_state));
    }
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T&& operator*() && { return std::move(*this).value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

    [[nodiscard]] const Error& error() const { return std::get<1>(m_state); }

  private:
    std::variant<T, Error> m_state;
};

template <>
class [[nodiscard]] Result<void> {
  public:
    Result() = default;
    Result(Error error) : m_error(std::move(error)), m_failed(true) {}

    [[nodiscard]] bool ok() const { return !m_failed; }
    explicit operator bool() const { return ok(); }
    void value() const {
        if (m_failed) throw Failure(m_error);
    }
    [[nodiscard]] const Error& error() const { return m_error; }

  private:
    Error m_error;
    bool m_failed = false;
};

}  // namespace reelgrid
