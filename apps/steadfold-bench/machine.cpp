#include "machine.hpp"

#include "steadfold/topology.hpp"

#include <cstdlib>
#include <ctime>

namespace steadfold::inline v0::app {

machine this_machine() {
    topology const here = discover_topology();
    process_facts const& self = here.here().process;
    machine facts;
    facts.cpu_model = self.host.cpu_model;
    facts.allowed_cpus = static_cast<int>(self.allowed_cpus.size());
    if (getloadavg(&facts.load_average, 1) != 1) facts.load_average = 0;
    facts.gpu_driver = self.cuda.kernel_driver;
    facts.cuda_driver_version = self.cuda.driver_version;
    facts.cuda_runtime_version = self.cuda.runtime_version;
    if (!self.gpus.empty()) {
        facts.gpu_name = self.gpus.front().name;
        facts.gpu_sm_count = self.gpus.front().sm_count;
    }
    return facts;
}

std::string now_utc() {
    std::time_t const now = std::time(nullptr);
    std::tm parts{};
    gmtime_r(&now, &parts);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return text;
}

} // namespace steadfold::inline v0::app
