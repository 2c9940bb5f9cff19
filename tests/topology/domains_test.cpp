// Drivers that do not exist yet, or refuse: the table's pointers are replaced.
#include "made_up.hpp"
#include "topology/domains.hpp"

#include <gtest/gtest.h>

namespace {

namespace sf = steadfold;
using sf::detail::driver_table;

int same_handle(int* handle, int ordinal) {
    *handle = ordinal + 100; // a handle need not be the ordinal
    return 0;
}
int two_domains_on_the_second(int* value, int attribute, int handle) {
    if (attribute != 149) return 1;
    *value = handle == 101 ? 2 : 1;
    return 0;
}
int refuses(int*, int, int) {
    return 801;
}
int nonsense(int* value, int, int) {
    *value = -3;
    return 0;
}
int must_not_be_called(int*, int, int) {
    ADD_FAILURE() << "an old driver was asked about domains";
    return 1;
}
int no_such_device(int*, int) {
    return 101;
}

TEST(domains, a_new_driver_is_asked) {
    driver_table const driver{13040, same_handle, two_domains_on_the_second};
    EXPECT_EQ(sf::detail::reported_domain_count(0, driver), 1);
    EXPECT_EQ(sf::detail::reported_domain_count(1, driver), 2);
}

TEST(domains, an_old_driver_is_not_asked) {
    EXPECT_EQ(sf::detail::reported_domain_count(0, {13000, same_handle, must_not_be_called}), 1);
}

TEST(domains, missing_functions_refusals_and_nonsense_mean_one_domain) {
    EXPECT_EQ(sf::detail::reported_domain_count(0, {}), 1);
    EXPECT_EQ(sf::detail::reported_domain_count(0, {13040, nullptr, two_domains_on_the_second}), 1);
    EXPECT_EQ(sf::detail::reported_domain_count(0, {13040, same_handle, nullptr}), 1);
    EXPECT_EQ(sf::detail::reported_domain_count(0, {13040, same_handle, refuses}), 1);
    EXPECT_EQ(sf::detail::reported_domain_count(0, {13040, same_handle, nonsense}), 1);
    EXPECT_EQ(sf::detail::reported_domain_count(0, {13040, no_such_device, two_domains_on_the_second}), 1);
}

TEST(domains, a_gpu_is_one_domain_whatever_its_driver_reports) {
    auto const domains =
        sf::detail::discover_domains(made_up::gpu(1, "b"), {13040, same_handle, two_domains_on_the_second});
    ASSERT_EQ(domains.size(), 1u);
    EXPECT_EQ(domains[0].device, 1);
    EXPECT_EQ(domains[0].index, 0);
    EXPECT_EQ(domains[0].sm_count, 132);
}

TEST(domains, the_host_is_one_domain_of_the_allowed_cpus) {
    sf::host_facts host;
    host.memory_bytes = 77;
    sf::locality_domain const domain = sf::detail::host_domain(host, {3, 5, 9});
    EXPECT_EQ(domain.device, sf::host_device);
    EXPECT_EQ(domain.sm_count, 3);
    EXPECT_EQ(domain.memory_bytes, 77);
}

} // namespace
