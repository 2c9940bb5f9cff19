#include "exact/natural.hpp"

#include "exact/digits.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace steadfold::inline v0::exact {

natural::natural(std::uint64_t value) {
    word_[0] = static_cast<std::uint32_t>(value);
    word_[1] = static_cast<std::uint32_t>(value >> 32);
    size_ = 2;
    trim();
}

natural natural::magnitude(std::uint64_t const* limbs, int count, bool& negative) {
    natural result;
    negative = is_negative(limbs, count);
    std::uint64_t carry = negative ? 1 : 0;
    std::uint64_t const flip = negative ? 0xffffffffu : 0;
    for (int i = 0; i <= count; ++i) { // the last limb gives two words
        std::uint64_t const digit = i < count ? limbs[i] & 0xffffffffu : limbs[count - 1] >> 32;
        std::uint64_t const value = (digit ^ flip) + carry;
        result.word_[static_cast<std::size_t>(i)] = static_cast<std::uint32_t>(value);
        carry = value >> 32;
    }
    result.size_ = count + 1;
    result.trim();
    return result;
}

void natural::trim() noexcept {
    while (size_ > 0 && word_[static_cast<std::size_t>(size_ - 1)] == 0) --size_;
}

int natural::bit_length() const noexcept {
    return size_ == 0 ? 0 : 32 * size_ - std::countl_zero(word_[static_cast<std::size_t>(size_ - 1)]);
}

bool natural::bit(int position) const noexcept {
    if (position < 0 || position >= 32 * size_) return false;
    return (word_[static_cast<std::size_t>(position / 32)] >> (position % 32)) & 1u;
}

bool natural::any_bit_below(int position) const noexcept {
    int const whole = std::clamp(position / 32, 0, size_);
    for (int i = 0; i < whole; ++i)
        if (word_[static_cast<std::size_t>(i)] != 0) return true;
    if (position <= 0 || whole == size_) return false;
    std::uint32_t const mask = (1u << (position % 32)) - 1u;
    return (word_[static_cast<std::size_t>(whole)] & mask) != 0;
}

std::uint32_t natural::word_at(int position) const noexcept {
    int const index = position / 32, shift = position % 32;
    std::uint64_t const low = index < size_ ? word_[static_cast<std::size_t>(index)] : 0;
    std::uint64_t const high = index + 1 < size_ ? word_[static_cast<std::size_t>(index + 1)] : 0;
    return static_cast<std::uint32_t>(((high << 32) | low) >> shift);
}

std::uint64_t natural::word64_at(int position) const noexcept {
    return (static_cast<std::uint64_t>(word_at(position + 32)) << 32) | word_at(position);
}

natural natural::shifted_left(int bits) const {
    if (size_ == 0) return {};
    natural result;
    int const whole = bits / 32, shift = bits % 32;
    result.size_ = size_ + whole + 1;
    if (result.size_ > capacity) std::abort(); // sizes are bounded by the layouts; see the class comment
    std::uint64_t carry = 0;
    for (int i = 0; i < size_; ++i) {
        std::uint64_t const value = (static_cast<std::uint64_t>(word_[static_cast<std::size_t>(i)]) << shift) | carry;
        result.word_[static_cast<std::size_t>(i + whole)] = static_cast<std::uint32_t>(value);
        carry = value >> 32;
    }
    result.word_[static_cast<std::size_t>(size_ + whole)] = static_cast<std::uint32_t>(carry);
    result.trim();
    return result;
}

natural natural::shifted_right(int bits) const {
    natural result;
    int const length = bit_length() - bits;
    if (length <= 0) return result;
    result.size_ = (length + 31) / 32;
    for (int i = 0; i < result.size_; ++i) result.word_[static_cast<std::size_t>(i)] = word_at(bits + 32 * i);
    result.trim();
    return result;
}

natural natural::plus(natural const& other) const {
    natural result;
    int const size = std::max(size_, other.size_);
    std::uint64_t carry = 0;
    for (int i = 0; i < size; ++i) {
        auto const k = static_cast<std::size_t>(i);
        carry += static_cast<std::uint64_t>(word_[k]) + other.word_[k];
        result.word_[k] = static_cast<std::uint32_t>(carry);
        carry >>= 32;
    }
    result.word_[static_cast<std::size_t>(size)] = static_cast<std::uint32_t>(carry);
    result.size_ = size + 1;
    result.trim();
    return result;
}

natural natural::minus(natural const& other) const {
    natural result;
    std::int64_t borrow = 0;
    for (int i = 0; i < size_; ++i) {
        auto const k = static_cast<std::size_t>(i);
        std::int64_t const value = static_cast<std::int64_t>(word_[k]) - other.word_[k] + borrow;
        result.word_[k] = static_cast<std::uint32_t>(value);
        borrow = value >> 32;
    }
    result.size_ = size_;
    result.trim();
    return result;
}

natural natural::times(natural const& other) const {
    natural result;
    if (size_ + other.size_ > capacity) std::abort();
    for (int i = 0; i < size_; ++i) {
        std::uint64_t carry = 0;
        for (int j = 0; j < other.size_; ++j) {
            auto const k = static_cast<std::size_t>(i + j);
            carry += static_cast<std::uint64_t>(word_[static_cast<std::size_t>(i)]) *
                         other.word_[static_cast<std::size_t>(j)] +
                     result.word_[k];
            result.word_[k] = static_cast<std::uint32_t>(carry);
            carry >>= 32;
        }
        result.word_[static_cast<std::size_t>(i + other.size_)] = static_cast<std::uint32_t>(carry);
    }
    result.size_ = size_ + other.size_;
    result.trim();
    return result;
}

natural natural::divided_by(natural const& divisor, bool& inexact) const {
    if (compare(divisor) < 0) {
        inexact = inexact || !is_zero();
        return {};
    }
    if (divisor.size_ == 1) return divided_by_word(divisor.word_[0], inexact);
    int const shift = std::countl_zero(divisor.word_[static_cast<std::size_t>(divisor.size_ - 1)]);
    natural const v = divisor.shifted_left(shift);
    natural u = shifted_left(shift);
    int const n = v.size_, m = size_ - n;
    natural quotient;
    quotient.size_ = m + 1;
    for (int j = m; j >= 0; --j) {
        std::uint32_t const digit = u.subtract_multiple(v, j);
        quotient.word_[static_cast<std::size_t>(j)] = digit;
    }
    quotient.trim();
    u.size_ = n;
    u.trim();
    inexact = inexact || !u.is_zero();
    return quotient;
}

natural natural::divided_by_word(std::uint32_t divisor, bool& inexact) const {
    natural quotient;
    std::uint64_t remainder = 0;
    for (int i = size_ - 1; i >= 0; --i) {
        auto const k = static_cast<std::size_t>(i);
        remainder = (remainder << 32) | word_[k];
        quotient.word_[k] = static_cast<std::uint32_t>(remainder / divisor);
        remainder %= divisor;
    }
    quotient.size_ = size_;
    quotient.trim();
    inexact = inexact || remainder != 0;
    return quotient;
}

std::uint32_t natural::subtract_multiple(natural const& v, int j) {
    auto const at = [this, j](int i) -> std::uint32_t& { return word_[static_cast<std::size_t>(i + j)]; };
    auto const divisor_word = [&v](int i) { return v.word_[static_cast<std::size_t>(i)]; };
    int const n = v.size_;
    std::uint64_t const top = (static_cast<std::uint64_t>(at(n)) << 32) | at(n - 1);
    std::uint64_t estimate = top / divisor_word(n - 1), rest = top % divisor_word(n - 1);
    while (estimate >> 32 != 0 || estimate * divisor_word(n - 2) > ((rest << 32) | at(n - 2))) {
        --estimate;
        rest += divisor_word(n - 1);
        if (rest >> 32 != 0) break;
    }
    std::int64_t borrow = 0;
    std::uint64_t carry = 0;
    for (int i = 0; i < n; ++i) {
        carry += estimate * divisor_word(i);
        std::int64_t const value = static_cast<std::int64_t>(at(i)) - static_cast<std::uint32_t>(carry) + borrow;
        at(i) = static_cast<std::uint32_t>(value);
        borrow = value >> 32;
        carry >>= 32;
    }
    std::int64_t const value = static_cast<std::int64_t>(at(n)) - static_cast<std::int64_t>(carry) + borrow;
    at(n) = static_cast<std::uint32_t>(value);
    if (value >= 0) return static_cast<std::uint32_t>(estimate);
    std::uint64_t back = 0; // the estimate was one too large: add the divisor back
    for (int i = 0; i < n; ++i) {
        back += static_cast<std::uint64_t>(at(i)) + divisor_word(i);
        at(i) = static_cast<std::uint32_t>(back);
        back >>= 32;
    }
    at(n) += static_cast<std::uint32_t>(back);
    return static_cast<std::uint32_t>(estimate - 1);
}

natural natural::square_root(bool& inexact) const {
    if (is_zero()) return {};
    natural root = natural{1}.shifted_left((bit_length() + 1) / 2); // >= sqrt
    for (;;) {
        bool ignored = false;
        natural const next = root.plus(divided_by(root, ignored)).shifted_right(1);
        if (next.compare(root) >= 0) break;
        root = next;
    }
    inexact = inexact || root.times(root).compare(*this) != 0;
    return root;
}

int natural::compare(natural const& other) const noexcept {
    if (size_ != other.size_) return size_ < other.size_ ? -1 : 1;
    for (int i = size_ - 1; i >= 0; --i) {
        auto const k = static_cast<std::size_t>(i);
        if (word_[k] != other.word_[k]) return word_[k] < other.word_[k] ? -1 : 1;
    }
    return 0;
}

} // namespace steadfold::inline v0::exact
