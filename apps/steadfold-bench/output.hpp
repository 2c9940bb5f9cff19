// Standard output and files, with every failure noticed.
#pragma once

#include <string>

namespace steadfold::inline v0::app {

/// @throws io_error
void print(std::string const& text);

/// Over what was in the file; "-" is standard output. @throws io_error naming the file
void write(std::string const& path, std::string const& text);

/// Better known before the minutes of measuring. Leaves what is in the file; nothing for "" and "-".
/// @throws io_error naming the file
void require_writable(std::string const& path);

} // namespace steadfold::inline v0::app
