/**
 * CUB's DeviceRadixSort on files of keys, for RadixSorter to be compared with on the same GPU.
 *
 *   nvcc -O3 -std=c++17 -arch=native cub-files.cu -o cub-files
 *   ./cub-files [--std-sort] FILE... > cub.txt
 *   node apps/bench/dist/main.js gpu --features all --keys FILE... --reference cub.txt
 *
 * Files are raw, little-endian, and named TYPE-KIND.LOG2, as `gpu-keys` writes them. Prints a line
 * for each, of keys alone and of keys with 32-bit values, each the index of its key:
 *
 *   cub f32-unit.26 keys 1.4751 ms | pairs 1.9302 ms
 *
 * Times are medians of one sort, between two events on its stream, by the faster of the two types
 * of `num_items`, which decides CUB's kernels. Keys are sorted from one buffer to another; memory
 * is allocated before. The GPU works for 0.4 s before, because the clocks of an idle GPU are low.
 * Every sort is checked: order, the same keys as before, and stability of pairs. The exit code is 1
 * where a result was wrong, a file was not as its name says, or a call failed.
 *
 * With `--std-sort`, a thread of the host sorts files of u32, too:
 *
 *   std::sort u32-reversed.20 keys 70.2100 ms
 */

#include <cub/device/device_radix_sort.cuh>
#include <cub/version.cuh>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

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

/** Whether the sorts were right, by what `check` has left on the GPU. Prints what was not. */
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

/** What one file is sorted in. */
template <typename Key>
struct Buffers {
  explicit Buffers(size_t length)
      : length(length), keysIn(length), keysOut(length), valuesIn(length), valuesOut(length),
        faults(1) {}

  size_t length;
  Buffer<Key> keysIn, keysOut;
  Buffer<uint32_t> valuesIn, valuesOut;
  Buffer<Faults> faults;
};

__global__ void writeIndices(uint32_t* values, size_t length) {
  const size_t step = size_t{gridDim.x} * blockDim.x;
  for (size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x; i < length; i += step) {
    values[i] = static_cast<uint32_t>(i);
  }
}

template <typename Key, bool HasValues, typename Count>
cudaError_t sortOnce(const Buffers<Key>& of, void* storage, size_t& bytes) {
  const auto count = static_cast<Count>(of.length);
  if constexpr (HasValues) {
    return cub::DeviceRadixSort::SortPairs(storage, bytes, of.keysIn.data, of.keysOut.data,
                                           of.valuesIn.data, of.valuesOut.data, count);
  } else {
    return cub::DeviceRadixSort::SortKeys(storage, bytes, of.keysIn.data, of.keysOut.data, count);
  }
}

/** One way to sort a file: the first sort loads the kernels, the others are timed. */
template <typename Key, bool HasValues, typename Count>
class Series {
 public:
  explicit Series(const Buffers<Key>& buffers)
      : buffers(buffers), bytes(bytesFor(buffers)), storage(bytes) {
    require(sortOnce<Key, HasValues, Count>(buffers, storage.data, bytes), "DeviceRadixSort");
  }

  /** Records all sorts, without waiting for any. */
  void run() {
    for (int sample = 0; sample < SAMPLES; sample++) {
      stopwatch.start(sample);
      require(sortOnce<Key, HasValues, Count>(buffers, storage.data, bytes), "DeviceRadixSort");
      stopwatch.stop(sample);
      check<<<BLOCKS, THREADS>>>(buffers.keysIn.data, buffers.keysOut.data,
                                 HasValues ? buffers.valuesOut.data : nullptr, buffers.length,
                                 buffers.faults.data);
    }
  }
  float median() const { return stopwatch.median(); }

 private:
  static size_t bytesFor(const Buffers<Key>& buffers) {
    size_t bytes = 0;
    require(sortOnce<Key, HasValues, Count>(buffers, nullptr, bytes), "DeviceRadixSort");
    return bytes;
  }

  const Buffers<Key>& buffers;
  size_t bytes;
  Buffer<uint8_t> storage;
  Stopwatch stopwatch;
};

/** Measures the keys of one file, and prints its line. Returns whether all was right. */
template <typename Key>
bool measure(const char* name, const std::vector<char>& content) {
  Buffers<Key> buffers(content.size() / sizeof(Key));
  require(cudaMemcpy(buffers.keysIn.data, content.data(), content.size(), cudaMemcpyHostToDevice),
          "cudaMemcpy");
  require(cudaMemset(buffers.faults.data, 0, sizeof(Faults)), "cudaMemset");
  writeIndices<<<BLOCKS, THREADS>>>(buffers.valuesIn.data, buffers.length);
  Series<Key, false, int> keys(buffers);
  Series<Key, false, int64_t> keysWide(buffers);
  Series<Key, true, int> pairs(buffers);
  Series<Key, true, int64_t> pairsWide(buffers);
  warmUp(buffers.keysOut.data, buffers.length);
  keys.run();
  keysWide.run();
  pairs.run();
  pairsWide.run();
  require(cudaGetLastError(), "a kernel of the benchmark");
  require(cudaDeviceSynchronize(), "the sorts");
  if (!wereRight(buffers.faults.data, name)) return false;
  std::printf("cub %s keys %.4f ms | pairs %.4f ms\n", name,
              std::min(keys.median(), keysWide.median()),
              std::min(pairs.median(), pairsWide.median()));
  std::fflush(stdout);
  return true;
}

/** Measures std::sort, and prints its line. Returns whether all was right. */
bool measureHost(const char* name, const std::vector<char>& content) {
  constexpr int HOST_SAMPLES = 5;
  std::vector<uint32_t> keys(content.size() / sizeof(uint32_t));
  std::array<double, HOST_SAMPLES> times;
  for (int sample = -1; sample < HOST_SAMPLES; sample++) {
    std::memcpy(keys.data(), content.data(), content.size());
    const auto start = std::chrono::steady_clock::now();
    std::sort(keys.begin(), keys.end());
    const std::chrono::duration<double, std::milli> taken =
        std::chrono::steady_clock::now() - start;
    // The first sort is not counted.
    if (sample >= 0) times[sample] = taken.count();
    if (!std::is_sorted(keys.begin(), keys.end())) return false;
  }
  std::sort(times.begin(), times.end());
  std::printf("std::sort %s keys %.4f ms\n", name, times[HOST_SAMPLES / 2]);
  std::fflush(stdout);
  return true;
}

/** Measures one file by the type in its name. Returns whether all was right. */
bool measureFile(const std::string& path, bool onHost) {
  const std::string name = path.substr(path.rfind('/') + 1);
  const std::string type = name.substr(0, name.find('-'));
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  std::vector<char> content(file ? static_cast<size_t>(file.tellg()) : 0);
  file.seekg(0);
  const int size = std::atoi(name.substr(name.rfind('.') + 1).c_str());
  const size_t bytes = type == "u32" || type == "f32" ? 4 : 8;
  if (!file.read(content.data(), content.size()) || size > 30 ||
      content.size() != bytes << size) {
    std::fprintf(stderr, "%s: not 2^%d keys of %s\n", path.c_str(), size, type.c_str());
    return false;
  }
  if (type == "u32") {
    const bool isRight = measure<uint32_t>(name.c_str(), content);
    return (!onHost || measureHost(name.c_str(), content)) && isRight;
  }
  if (type == "f32") return measure<float>(name.c_str(), content);
  if (type == "u64") return measure<uint64_t>(name.c_str(), content);
  if (type == "f64") return measure<double>(name.c_str(), content);
  std::fprintf(stderr, "%s: keys of %s\n", path.c_str(), type.c_str());
  return false;
}

}  // namespace

int main(int count, char** arguments) {
  const bool onHost = count > 1 && std::strcmp(arguments[1], "--std-sort") == 0;
  const int first = onHost ? 2 : 1;
  if (count <= first) {
    std::fprintf(stderr, "usage: cub-files [--std-sort] FILE...   named TYPE-KIND.LOG2, such as "
                         "f32-unit.26\n");
    return 1;
  }
  printVersions();
  bool isRight = true;
  for (int i = first; i < count; i++) isRight &= measureFile(arguments[i], onHost);
  return isRight ? 0 : 1;
}
