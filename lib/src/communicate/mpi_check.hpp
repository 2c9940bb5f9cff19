// Every MPI call goes through check(): what we were doing, MPI's own words, and where.
#pragma once

#include "steadfold/error.hpp"

#include <mpi.h>
#include <source_location>
#include <string>

namespace steadfold {
inline namespace v0 {
namespace mpi::detail {

inline void check(int code, char const* what, std::source_location where = std::source_location::current()) {
    if (code == MPI_SUCCESS) return;
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    if (MPI_Error_string(code, text, &length) != MPI_SUCCESS) length = 0;
    throw library_error(std::string(what) + ": MPI says \"" + std::string(text, static_cast<std::size_t>(length)) +
                        "\" (" + where.file_name() + ":" + std::to_string(where.line()) + ")");
}

} // namespace mpi::detail
} // namespace v0
} // namespace steadfold
