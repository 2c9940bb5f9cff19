// Standard output, whose failures (a full disk, a closed descriptor) are said and remembered, and standard error.
#pragma once

#include <string>

namespace steadfold::inline v0::app {

/// Writes at once. The first failure is said in one line on stderr. @return false if this or an earlier one failed
bool print(std::string const& text);

/// One line on stderr; control characters, which file names may have, become '?'.
void complain(std::string text);

} // namespace steadfold::inline v0::app
