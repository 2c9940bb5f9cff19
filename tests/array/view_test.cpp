#include "steadfold/error.hpp"
#include "steadfold/stream.hpp"
#include "steadfold/view.hpp"

#include <array>
#include <complex>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace {

namespace sf = steadfold;

static_assert(std::is_trivially_copyable_v<sf::view<double>>);
static_assert(std::is_trivially_copyable_v<sf::stream_ref>);
static_assert(std::is_convertible_v<sf::view<double>, sf::view<double const>>);
static_assert(!std::is_convertible_v<sf::view<double const>, sf::view<double>>);
static_assert(std::is_convertible_v<std::vector<double>&, sf::view<double>>);
static_assert(std::is_convertible_v<std::vector<double> const&, sf::view<double const>>);
static_assert(!std::is_convertible_v<std::vector<double> const&, sf::view<double>>);
static_assert(!std::is_convertible_v<std::vector<float>&, sf::view<double>>);
static_assert(!std::is_convertible_v<double*, sf::stream_ref>);
static_assert(sf::view<std::complex<double>>::alignment == 8);
static_assert(sf::view<std::complex<float>>::alignment == 4);

template <class Make>
std::string message_of(Make make) {
    try {
        (void)make();
    } catch (sf::argument_error const& e) {
        return e.what();
    }
    return "no error";
}

TEST(view, borrows_without_copying) {
    std::vector<double> values(5);
    sf::view const v{values.data(), values.size()};
    static_assert(std::is_same_v<decltype(v), sf::view<double> const>);
    EXPECT_EQ(v.data(), values.data());
    EXPECT_EQ(v.size(), 5);
    EXPECT_EQ(v.bytes(), 40u);
    sf::view<double const> const from_vector = values;
    EXPECT_EQ(from_vector.data(), values.data());
    std::array<float, 3> three{};
    EXPECT_EQ(sf::view<float>(three).size(), 3);
}

TEST(view, empty_views_are_legal_with_and_without_a_pointer) {
    EXPECT_TRUE(sf::view<double>().empty());
    EXPECT_TRUE((sf::view<double>(nullptr, 0).empty()));
    double x = 0;
    EXPECT_TRUE((sf::view{&x, 0}.empty()));
}

TEST(view, becomes_an_array_view_that_knows_its_type) {
    std::vector<std::complex<float>> values(3);
    sf::array_view const any = sf::view{values.data(), 3};
    EXPECT_EQ(any.data, values.data());
    EXPECT_EQ(any.count, 3);
    EXPECT_EQ(any.type, sf::dtype::complex64);
    sf::array_view const constant = sf::view<std::int16_t const>();
    EXPECT_EQ(constant.type, sf::dtype::int16);
}

TEST(view, bad_arguments_are_named) {
    double x = 0;
    EXPECT_EQ(message_of([] { return sf::view<double>(nullptr, 3); }),
              "a view of 3 float64 elements has a null pointer");
    EXPECT_EQ(message_of([&] {
                  return sf::view{&x, -4};
              }),
              "a view cannot have -4 elements: the count must be from 0 to 2^63 - 1");
    EXPECT_EQ(message_of([&] {
                  return sf::view{&x, UINT64_MAX};
              }),
              "a view cannot have 18446744073709551615 elements: the count must be from 0 to 2^63 - 1");
}

TEST(view, needs_the_alignment_of_one_component_only) {
    alignas(16) std::byte memory[64];
    auto const at = [&](std::size_t offset) { return static_cast<void*>(memory + offset); };
    EXPECT_NE(message_of([&] {
                  return sf::view{static_cast<double*>(at(4)), 2};
              }).find("float64 elements is not a multiple of 8 bytes"),
              std::string::npos);
    EXPECT_NE(message_of([&] {
                  return sf::view{static_cast<sf::half*>(at(1)), 2};
              }).find("multiple of 2 bytes"),
              std::string::npos);
    EXPECT_NO_THROW((sf::view{static_cast<std::complex<double>*>(at(8)), 2}));
    EXPECT_NO_THROW((sf::view{static_cast<std::complex<float>*>(at(4)), 2}));
    EXPECT_NO_THROW((sf::view{static_cast<std::uint8_t*>(at(1)), 2}));
}

TEST(locate, ordinary_memory_is_host_memory) {
    auto const heap = std::make_unique<double>();
    double stack = 0;
    EXPECT_EQ(sf::locate(heap.get()), (sf::memory_location{sf::memory_kind::host, sf::host_device}));
    EXPECT_EQ(sf::locate(&stack).kind, sf::memory_kind::host);
    EXPECT_EQ(sf::locate(nullptr).kind, sf::memory_kind::host);
    EXPECT_EQ(sf::name(sf::memory_kind::managed), "managed");
}

TEST(stream_ref, carries_a_handle) {
    EXPECT_FALSE(sf::stream_ref());
    int anything = 0;
    sf::stream_ref const stream = sf::stream_ref::from_handle(&anything);
    EXPECT_TRUE(stream);
    EXPECT_EQ(static_cast<void*>(stream.get()), &anything);
}

} // namespace
