// The run record of a job: written by rank 0, fed by all.
#pragma once

#include "job.hpp"
#include "report.hpp"
#include "settings.hpp"
#include "steadfold/communicator.hpp"
#include "steadfold/record.hpp"
#include "steadfold/topology.hpp"

#include <optional>
#include <string>
#include <vector>

namespace steadfold::inline v0::app {

/// Never ends a run: a failure is said once on stderr, remembered, and later calls do nothing. Collective calls are
/// collective on all ranks whether or not there is a record.
class job_record {
  public:
    /// Collective. No record is written if `chosen.record` is empty.
    job_record(communicator const& world, settings const& chosen, topology const& here, int argc, char** argv);

    /// Collective: gathers the rows of all ranks.
    void add(outcome const& job, speed const& fast);
    /// An error message; rank 0 writes it.
    void add_failure(std::string const& text);
    void close(run_status status);

    /// The file that is written; empty on ranks other than 0, and without a record.
    [[nodiscard]] std::string path() const;

    /// False if a record was asked for and could not be written (rank 0 knows; others always say true).
    [[nodiscard]] bool good() const noexcept { return !failed_; }

  private:
    template <class Work>
    void attempt(Work const& work);

    communicator world_;
    bool wanted_, required_;
    bool failed_ = false;
    std::optional<run_record> record_; // rank 0
    bool partition_stored_ = false;    // the partition is stored once, for the first input
};

} // namespace steadfold::inline v0::app
