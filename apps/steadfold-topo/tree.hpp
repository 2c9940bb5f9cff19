/// Text with children, printed with lines that show what belongs to what.
#pragma once

#include <string>
#include <vector>

namespace steadfold {
inline namespace v0 {
namespace app {

struct tree {
    std::string text; ///< one line
    std::vector<tree> children;
};

/// Every line ends with a line end; no blanks at line ends.
[[nodiscard]] std::string to_text(tree const& root);

} // namespace app
} // namespace v0
} // namespace steadfold
