/// Errors. Every exception steadfold throws derives from `steadfold::error`; `what()` names the thing and the fix.
///
///     try { ... } catch (steadfold::error const& e) { std::fprintf(stderr, "%s\n", e.what()); }
#pragma once

#include <stdexcept>
#include <string>

namespace steadfold {
inline namespace v0 {

/// Base of all steadfold exceptions.
class error : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// A bad argument, found before any work was started.
class argument_error : public error {
  public:
    using error::error;
};

/// Ranks disagree about a collective call (operation set, dtype, mode, result type). Thrown on every rank.
class mismatch_error : public error {
  public:
    using error::error;
};

/// A wait ended at its deadline. The communicator it came from is poisoned.
class timeout_error : public error {
  public:
    using error::error;
};

/// A file is missing, unreadable, corrupt or of a kind that cannot be used.
class io_error : public error {
  public:
    using error::error;
};

/// A call into CUDA, NCCL, MPI or HDF5 failed; the message holds that library's own words.
class library_error : public error {
  public:
    using error::error;
};

} // namespace v0
} // namespace steadfold
