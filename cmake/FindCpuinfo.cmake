# The static cpuinfo that libexecutorch_threadpool.so holds.
include(ExecutorchPrefix)
executorch_find_static(Cpuinfo cpuinfo.h cpuinfo PART threadpool LICENSES cpuinfo)
