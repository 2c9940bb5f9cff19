#include "tree.hpp"

namespace steadfold {
inline namespace v0 {
namespace app {

namespace {

void append_children(std::string& out, tree const& node, std::string const& indent) {
    for (std::size_t i = 0; i < node.children.size(); ++i) {
        bool const last = i + 1 == node.children.size();
        out += indent + (last ? "└─ " : "├─ ") + node.children[i].text + "\n";
        append_children(out, node.children[i], indent + (last ? "   " : "│  "));
    }
}

} // namespace

std::string to_text(tree const& root) {
    std::string out = root.text + "\n";
    append_children(out, root, "");
    return out;
}

} // namespace app
} // namespace v0
} // namespace steadfold
