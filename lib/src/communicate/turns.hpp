// Collective calls that were promised but not made yet. All ranks promise in the same order, so each of them can keep
// its promises one after another whenever it waits for one of them, and the calls of the ranks meet.
#pragma once

#include "steadfold/communicator.hpp"

#include <exception>
#include <memory>
#include <string>
#include <vector>

namespace steadfold::inline v0::detail {

class turn {
  public:
    virtual ~turn() = default;
    /// False while what the call needs is not there yet. Never waits.
    [[nodiscard]] virtual bool can_be_taken() = 0;
    /// Makes the collective call. Errors of it belong to whoever waits for this turn: they are kept, not thrown.
    virtual void take(communicator const& ranks) noexcept = 0;
    /// Instead of take(), where what the call needs will never be there: keeps the error.
    virtual void fail(std::exception_ptr error) noexcept = 0;
};

struct turns {
    /// Of a communicator and its copies, the earliest first.
    [[nodiscard]] static std::vector<std::shared_ptr<turn>>& of(communicator const& ranks) noexcept;
    /// A promise was not kept: the calls of the ranks would no longer meet, so there are no more of them.
    static void poison(communicator const& ranks, std::string why);
};

} // namespace steadfold::inline v0::detail
