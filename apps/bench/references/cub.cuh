/** What the programs around CUB's DeviceRadixSort share: memory, clocks, checks. */

#pragma once

#include <cub/device/device_radix_sort.cuh>
#include <cub/version.cuh>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr int SAMPLES = 15;
constexpr int THREADS = 256;
constexpr int BLOCKS = 2048;
constexpr double WARM_UP_SECONDS = 0.4;

/** Ends the program where a call of CUDA has failed. */
void require(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

/** Memory of the GPU, freed at the end of its scope; `data` is null where there was not enough. */
template <typename Element>
class Buffer {
 public:
  explicit Buffer(size_t length) {
    const cudaError_t error = cudaMalloc(&data, std::max<size_t>(length, 1) * sizeof(Element));
    if (error == cudaErrorMemoryAllocation) {
      data = nullptr;
      cudaGetLastError();
    } else {
      require(error, "cudaMalloc");
    }
  }
  ~Buffer() { cudaFree(data); }
  Buffer(const Buffer&) = delete;

  Element* data = nullptr;
};

/** A bijection of 64-bit words: the finaliser of MurmurHash3 (Appleby, 2011). */
__host__ __device__ uint64_t mix(uint64_t word) {
  word = (word ^ (word >> 33)) * 0xff51afd7ed558ccdull;
  word = (word ^ (word >> 33)) * 0xc4ceb9fe1a85ec53ull;
  return word ^ (word >> 33);
}

/** What was wrong with sorts: 0 where all were right. */
struct Faults {
  unsigned long long order, keys, values;
  /** Of the keys before, less those after: their sum, and the sum of their hashes. */
  unsigned long long sum, hashes;
};

/** The bits of a key, as a whole number. */
template <typename Key>
__device__ uint64_t bitsOf(Key key) {
  uint64_t bits = 0;
  memcpy(&bits, &key, sizeof key);
  return bits;
}

template <typename Key>
__global__ void check(const Key* before, const Key* after, const uint32_t* values, size_t length,
                      Faults* faults) {
  unsigned long long order = 0, wrongKeys = 0, wrongValues = 0, sum = 0, hashes = 0;
  const size_t step = size_t{gridDim.x} * blockDim.x;
  for (size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x; i < length; i += step) {
    const Key key = after[i];
    if (i > 0 && key < after[i - 1]) order++;
    if (values == nullptr) {
      sum += bitsOf(before[i]) - bitsOf(key);
      hashes += mix(bitsOf(before[i])) - mix(bitsOf(key));
    } else {
      const uint32_t row = values[i];
      if (row >= length || bitsOf(before[row]) != bitsOf(key)) wrongKeys++;
      // Indices of equal keys ascend after a stable sort, so that none comes twice.
      if (i > 0 && key == after[i - 1] && row <= values[i - 1]) wrongValues++;
    }
  }
  if (order != 0) atomicAdd(&faults->order, order);
  if (wrongKeys != 0) atomicAdd(&faults->keys, wrongKeys);
  if (wrongValues != 0) atomicAdd(&faults->values, wrongValues);
  if (sum != 0) atomicAdd(&faults->sum, sum);
  if (hashes != 0) atomicAdd(&faults->hashes, hashes);
}

/** Whether the sorts were right, by what `check` has left in memory of the GPU. Prints what was not. */
bool wereRight(const Faults* faults, const char* what) {
  Faults found;
  require(cudaMemcpy(&found, faults, sizeof found, cudaMemcpyDeviceToHost), "cudaMemcpy");
  if ((found.order | found.keys | found.values | found.sum | found.hashes) == 0) return true;
  std::fprintf(stderr, "%s: WRONG: %llu out of order, %llu keys, %llu values, sums %s\n", what,
               found.order, found.keys, found.values,
               (found.sum | found.hashes) == 0 ? "right" : "wrong");
  return false;
}

/** Writes hashes of a seed. */
template <typename Key>
__global__ void writeHashes(Key* keys, size_t length, uint64_t seed) {
  const size_t step = size_t{gridDim.x} * blockDim.x;
  for (size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x; i < length; i += step) {
    keys[i] = static_cast<Key>(mix(i ^ mix(seed)));
  }
}

/** Keeps the GPU busy for a while with writing `keys`, and leaves some of that in its queue. */
template <typename Key>
void warmUp(Key* keys, size_t length) {
  const size_t calls = std::max<size_t>(10, (size_t{1} << 28) / length);
  const auto write = [&] {
    for (size_t i = 0; i < calls; i++) {
      writeHashes<<<BLOCKS, THREADS>>>(keys, length, i);
    }
  };
  const auto start = std::chrono::steady_clock::now();
  std::chrono::duration<double> taken{};
  while (taken.count() < WARM_UP_SECONDS) {
    write();
    require(cudaDeviceSynchronize(), "the warm-up");
    taken = std::chrono::steady_clock::now() - start;
  }
  write();
}

/** Two events a sort, between which it is timed. */
class Stopwatch {
 public:
  Stopwatch() {
    for (auto& pair : events) {
      for (auto& event : pair) require(cudaEventCreate(&event), "cudaEventCreate");
    }
  }
  ~Stopwatch() {
    for (auto& pair : events) {
      for (auto& event : pair) cudaEventDestroy(event);
    }
  }
  void start(int sample) { require(cudaEventRecord(events[sample][0]), "cudaEventRecord"); }
  void stop(int sample) { require(cudaEventRecord(events[sample][1]), "cudaEventRecord"); }

  /** In milliseconds, once all sorts are done. */
  float median() const {
    std::array<float, SAMPLES> times;
    for (int i = 0; i < SAMPLES; i++) {
      require(cudaEventElapsedTime(&times[i], events[i][0], events[i][1]), "cudaEventElapsedTime");
    }
    std::sort(times.begin(), times.end());
    return times[SAMPLES / 2];
  }

 private:
  std::array<std::array<cudaEvent_t, 2>, SAMPLES> events;
};

/** Prints the GPU and the versions. */
void printVersions() {
  cudaDeviceProp device;
  require(cudaGetDeviceProperties(&device, 0), "no GPU");
  int driver = 0, runtime = 0;
  require(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  require(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  std::printf("# %s, driver for CUDA %d.%d, CUDA %d.%d, CUB %d.%d.%d\n", device.name, driver / 1000,
              driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10, CUB_MAJOR_VERSION,
              CUB_MINOR_VERSION, CUB_SUBMINOR_VERSION);
}

}  // namespace
