# The static pthreadpool that libexecutorch_threadpool.so holds.
include(ExecutorchPrefix)
executorch_find_static(Pthreadpool pthreadpool.h pthreadpool PART threadpool
                       LICENSES pthreadpool fxdiv)
