// Which processor reduces arrays, by the memory they are in.
#include "steadfold/error.hpp"
#include "steadfold/reduce.hpp"

#include <string>

namespace steadfold {
inline namespace v0 {

execution where_it_lies(array_view data) {
    execution where;
    memory_location const location = locate(data.data);
    if (location.kind == memory_kind::device || location.kind == memory_kind::managed) {
        where.kind = processor_kind::cuda;
        where.device = location.device;
    }
    return where;
}

execution where_they_lie(std::initializer_list<array_view> arrays) {
    execution where;
    execution of_first_managed;
    bool all_managed = true;
    for (array_view const& array : arrays) {
        if (array.count == 0) continue;
        memory_location const at = locate(array.data);
        all_managed = all_managed && at.kind == memory_kind::managed;
        if (at.kind == memory_kind::managed && of_first_managed.kind == processor_kind::host)
            of_first_managed = where_it_lies(array);
        if (at.kind != memory_kind::device) continue;
        if (where.kind == processor_kind::cuda && at.device != where.device)
            throw argument_error("one array is memory of device " + std::to_string(where.device) +
                                 ", the other one of device " + std::to_string(at.device));
        where.kind = processor_kind::cuda;
        where.device = at.device;
    }
    return all_managed ? of_first_managed : where;
}

} // namespace v0
} // namespace steadfold
