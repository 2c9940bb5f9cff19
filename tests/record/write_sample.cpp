// Writes the record that read_with_h5py.py checks: record_write_sample FILE [partial]
#include "record/sample.hpp"

#include <cstdio>
#include <limits>

int main(int argc, char** argv) {
    using namespace record_tests;
    if (argc < 2) return 2;
    sf::run_record record{argv[1], sample_facts()};
    record.set_topology(R"({"hosts": ["node-ü"]})", {{"devices", 8}});
    record.append(sample_partition());
    record.append(sample_operations(0, 1000));
    std::vector<sf::result_row> results;
    for (double const value : {0.1, -0.0, std::numeric_limits<double>::denorm_min(), 1e308})
        results.push_back({"größe.h5:/p", "sum", "float64", value, sf::hex_bits(value), "ok"});
    record.append(results);
    record.append(sample_messages());
    if (argc == 2) record.close(sf::run_status::interrupted);
    return 0;
}
