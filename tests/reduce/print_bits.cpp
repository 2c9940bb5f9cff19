// Reads lines "dtype hexadecimal-bytes", prints for each "operation=bits" of every operation: for fractions_test.py.
#include "steadfold/reduce.hpp"

#include <cstddef>
#include <iostream>
#include <string>
#include <vector>

int main() {
    namespace sf = steadfold;
    std::string type_name, hex;
    while (std::cin >> type_name >> hex) {
        sf::dtype const type = sf::parse_dtype(type_name);
        std::vector<std::byte> bytes;
        for (std::size_t i = 1; i + 1 < hex.size(); i += 2) // after a leading "x", so that no data is a word too
            bytes.push_back(static_cast<std::byte>(std::stoi(hex.substr(i, 2), nullptr, 16)));
        auto const n = static_cast<std::int64_t>(bytes.size() / sf::size_bytes(type));
        sf::operation_set const ops =
            sf::sum | sf::mean | sf::l1 | sf::l2 | sf::sum_of_squares | sf::variance | sf::stddev;
        sf::reduction_results const results = sf::reduce({}, sf::array_view{bytes.data(), n, type}, ops);
        for (int i = 0; i < sf::operation_count; ++i)
            if (auto const op = static_cast<sf::operation>(i); ops.contains(op))
                std::cout << sf::name(op) << '=' << results[op].bit_pattern() << ' ';
        std::cout << '\n';
    }
}
