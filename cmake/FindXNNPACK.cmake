# The static XNNPACK that the private library of src/xnnpack holds.
include(ExecutorchPrefix)
executorch_find_static(XNNPACK xnnpack.h XNNPACK microkernels-prod PART xnnpack)
