/**
 * CUB's DeviceRadixSort on files of keys, for RadixSorter to be compared with on the same GPU.
 *
 *   nvcc -O3 -std=c++17 -arch=native cub-files.cu -o cub-files
 *   ./cub-files FILE... > cub.txt
 *   node apps/bench/dist/main.js gpu --features all --keys FILE... --reference cub.txt
 *
 * Files are raw, little-endian, and named TYPE-KIND.LOG2, as `gpu-keys` writes them. Prints a line
 * for each, of keys alone and of keys with 32-bit values, each the index of its key:
 *
 *   cub f32-unit.26 keys 1.4751 ms | pairs 1.9302 ms
 *
 * Times are medians of one sort, between two events on its stream, by the faster of the two types
 * of `num_items`, which decides CUB's kernels. As in cub.cu, keys are sorted from one buffer to
 * another, the GPU works for 0.4 s before, and every sort is checked. The exit code is 1 where a
 * result was wrong, a file was not as its name says, or a call failed.
 */

#include "cub.cuh"

#include <fstream>
#include <string>
#include <vector>

namespace {

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

/** Measures one file by the type in its name. Returns whether all was right. */
bool measureFile(const std::string& path) {
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
  if (type == "u32") return measure<uint32_t>(name.c_str(), content);
  if (type == "f32") return measure<float>(name.c_str(), content);
  if (type == "u64") return measure<uint64_t>(name.c_str(), content);
  if (type == "f64") return measure<double>(name.c_str(), content);
  std::fprintf(stderr, "%s: keys of %s\n", path.c_str(), type.c_str());
  return false;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) {
    std::fprintf(stderr, "usage: cub-files FILE...   named TYPE-KIND.LOG2, such as f32-unit.26\n");
    return 1;
  }
  printVersions();
  bool isRight = true;
  for (int i = 1; i < count; i++) isRight &= measureFile(arguments[i]);
  return isRight ? 0 : 1;
}
