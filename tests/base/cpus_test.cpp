// CPUs, control groups and NUMA nodes, of this machine and made up in a folder.
#include "base/cpus.hpp"
#include "support/made_up_kernel.hpp"

#include <cfenv>
#include <gtest/gtest.h>
#include <sched.h>

namespace {

namespace fs = std::filesystem;
namespace base = steadfold::base;
using made_up::kernel_files;

TEST_F(kernel_files, no_control_group_is_no_limit) {
    EXPECT_EQ(base::cpu_quota(roots_), base::no_quota);
    write("proc/self/cgroup", "0::/\n");
    EXPECT_EQ(base::cpu_quota(roots_), base::no_quota);
    write("sys/fs/cgroup/cpu.max", "max 100000\n");
    EXPECT_EQ(base::cpu_quota(roots_), base::no_quota);
}

TEST_F(kernel_files, the_strictest_group_above_counts) {
    write("proc/self/cgroup", "0::/slurm/job_7/step_0\n");
    write("sys/fs/cgroup/slurm/job_7/step_0/cpu.max", "800000 100000\n");
    EXPECT_EQ(base::cpu_quota(roots_), 8);
    write("sys/fs/cgroup/slurm/cpu.max", "125000 50000\n");
    EXPECT_EQ(base::cpu_quota(roots_), 3);
    write("sys/fs/cgroup/cpu.max", "max 100000\n");
    EXPECT_EQ(base::cpu_quota(roots_), 3);
}

TEST_F(kernel_files, a_path_that_is_not_there_is_a_containers) {
    write("proc/self/cgroup", "0::/docker/0123456789ab\n");
    write("sys/fs/cgroup/cpu.max", "200000 100000\n");
    EXPECT_EQ(base::cpu_quota(roots_), 2);
}

TEST_F(kernel_files, control_groups_of_version_1) {
    write("proc/self/cgroup", "12:cpuset:/a\n4:cpu,cpuacct:/a/b\nnonsense\n1:name=systemd:/\n0::/\n");
    write("sys/fs/cgroup/cpu,cpuacct/a/b/cpu.cfs_quota_us", "-1\n");
    write("sys/fs/cgroup/cpu,cpuacct/a/b/cpu.cfs_period_us", "100000\n");
    EXPECT_EQ(base::cpu_quota(roots_), base::no_quota);
    write("sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "50000\n");
    write("sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us", "100000\n");
    EXPECT_EQ(base::cpu_quota(roots_), 1);
}

TEST_F(kernel_files, nodes_are_read_in_order_of_their_numbers) {
    EXPECT_TRUE(base::node_cpus(roots_).empty());
    std::string const nodes = "sys/devices/system/node/";
    write(nodes + "node10/cpulist", "8-9\n");
    write(nodes + "node2/cpulist", "0-1,6\n");
    write(nodes + "node3/cpulist", "\n"); // memory without CPUs
    write(nodes + "possible", "0-10\n");
    EXPECT_EQ(base::node_cpus(roots_), (std::vector<base::cpu_list>{{0, 1, 6}, {8, 9}}));
}

// A reduction looks them up in its caller's environment, and leaves that as it was.
TEST_F(kernel_files, is_read_without_a_trace_in_the_floating_point_flags) {
    write("proc/self/cgroup", "0::/slurm/job_7/step_0\n");
    write("sys/devices/system/node/node2/cpulist", "0-1,6\n");
    std::feclearexcept(FE_ALL_EXCEPT);
    static_cast<void>(base::cpu_quota(roots_));
    static_cast<void>(base::node_cpus(roots_));
    EXPECT_EQ(std::fetestexcept(FE_ALL_EXCEPT), 0);
}

TEST(thread_homes, are_the_allowed_cpus_of_a_node_for_each_of_them) {
    base::cpu_list const low{0, 1}, high{5, 7};
    std::vector<base::cpu_list> const nodes{{0, 1, 2, 3}, {4, 5, 6, 7}};
    EXPECT_EQ(base::thread_homes({0, 1, 5, 7}, nodes), (std::vector{low, low, high, high}));
    EXPECT_TRUE(base::thread_homes({4, 5, 6}, nodes).empty());
    EXPECT_TRUE(base::thread_homes({0, 5, 8}, nodes).empty()); // CPU 8 is in no node: nothing can be trusted
    EXPECT_TRUE(base::thread_homes({0, 1}, {}).empty());
}

TEST(thread_homes, keep_a_node_together_where_its_cpus_are_numbered_apart) {
    base::cpu_list const even{0, 2}, odd{1, 3};
    EXPECT_EQ(base::thread_homes({0, 1, 2, 3}, {even, odd}), (std::vector{even, even, odd, odd}));
}

TEST(allowed_cpus, follow_the_affinity_of_the_process) {
    base::cpu_list const before = base::allowed_cpus();
    ASSERT_FALSE(before.empty());
    EXPECT_LE(base::allowed_cpu_count(), static_cast<int>(before.size()));
    cpu_set_t all;
    ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
    base::stay_on({before.back()});
    EXPECT_EQ(base::allowed_cpus(), base::cpu_list{before.back()});
    EXPECT_EQ(base::allowed_cpu_count(), 1);
    ASSERT_EQ(sched_setaffinity(0, sizeof all, &all), 0);
    EXPECT_EQ(base::allowed_cpus(), before);
}

TEST(allowed_cpus, stay_as_they_are_where_the_kernel_refuses) {
    base::cpu_list const before = base::allowed_cpus();
    base::stay_on({before.back() + 100'000});
    base::stay_on({});
    EXPECT_EQ(base::allowed_cpus(), before);
}

} // namespace
