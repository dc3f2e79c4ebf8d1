/**
 * CUB's DeviceRadixSort, for RadixSorter to be compared with on the same NVIDIA GPU.
 *
 *   nvcc -O3 -std=c++17 -arch=native cub.cu -o cub
 *   ./cub [SMALLEST LARGEST [ONLY…]] > cub.txt    powers of two: 12 28
 *   npm run papers -- --reference cub.txt
 *
 * Prints a line for each size, kind of record and type of `num_items`, which decides CUB's kernels:
 *
 *   cub 2^26 keys32 1.420 ms 47.25 G/s int64_t
 *
 *   keys32, keys64  unsigned keys alone
 *   pairs32, pairs64  keys with 32-bit values, each the index of its key
 *   ms              median time of one sort, between two events on its stream
 *   G/s             records sorted in a nanosecond
 *
 * ONLY are names of such kinds, if not all are wanted; of distributions of keys, as `gpu` calls
 * them, instead of random ones, whose names then end the line; and `std::sort`, for lines of 32-bit
 * keys that it sorts on one thread of the host:
 *
 *   std::sort 2^20 keys32 70.21 ms 0.01 G/s host reversed
 *
 * Keys are new for each sort. They are sorted from one buffer to another;
 * memory is allocated before. The GPU works for 0.4 s before each series, because the clocks of an
 * idle GPU are low. Every sort is checked: order, the same keys as before, and stability of pairs.
 * The exit code is 1 where a result was wrong or a call failed. Sizes that do not fit into memory
 * are left out.
 */

#include "cub.cuh"

#include <iterator>
#include <string_view>
#include <vector>

namespace {

/** How keys lie before a sort. */
struct Distribution {
  const char* name;
  /** Random words whose bitwise and is a key; REVERSED: keys fall. */
  int words;
};
constexpr int REVERSED = -1;
constexpr Distribution DISTRIBUTIONS[] = {
    {"random", 1},        {"entropy-0.811", 2}, {"entropy-0.544", 3},   {"entropy-0.337", 4},
    {"entropy-0.201", 5}, {"entropy-0", 0},     {"reversed", REVERSED},
};

/** Key `i` of `length`, which `seed` decides. */
template <typename Key>
__host__ __device__ Key keyOf(size_t i, size_t length, int words, uint64_t seed) {
  if (words == 0) return 0;
  // 32-bit keys are the upper half of a bijection's 64 bits, so that some of them are equal.
  constexpr int SHIFT = 64 - 8 * sizeof(Key);
  uint64_t word = mix(i ^ mix(seed));
  for (int j = 1; j < words; j++) word &= mix(i ^ mix(seed + j * 0x9e3779b97f4a7c15ull));
  const Key key = static_cast<Key>(word >> SHIFT);
  if (words != REVERSED) return key;
  // A key somewhere in each of `length` equal parts of the range.
  const Key part = static_cast<Key>(~Key{0}) / static_cast<Key>(length);
  return static_cast<Key>(length - 1 - i) * part + key % part;
}

/** Writes keys that `seed` decides and, where there are values, each key's index. */
template <typename Key>
__global__ void fill(Key* keys, uint32_t* values, size_t length, int words, uint64_t seed) {
  const size_t step = size_t{gridDim.x} * blockDim.x;
  for (size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x; i < length; i += step) {
    keys[i] = keyOf<Key>(i, length, words, seed);
    if (values != nullptr) values[i] = static_cast<uint32_t>(i);
  }
}

/** What is left of a line: nothing behind random keys. */
const char* endOf(const Distribution& keys) { return keys.words == 1 ? "" : keys.name; }

/** Measures one kind of record at one size, and prints its line. Returns whether all was right. */
template <typename Key, bool HasValues, typename Count>
bool measure(int size, const char* kind, const char* countType, const Distribution& keys) {
  const size_t length = size_t{1} << size;
  const auto count = static_cast<Count>(length);
  const size_t valueLength = HasValues ? length : 0;
  Buffer<Key> keysIn(length), keysOut(length);
  Buffer<uint32_t> valuesIn(valueLength), valuesOut(valueLength);
  uint32_t* const from = HasValues ? valuesIn.data : nullptr;
  uint32_t* const to = HasValues ? valuesOut.data : nullptr;
  const auto sort = [&](void* storage, size_t& bytes) {
    if constexpr (HasValues) {
      return cub::DeviceRadixSort::SortPairs(storage, bytes, keysIn.data, keysOut.data, from, to,
                                             count);
    } else {
      return cub::DeviceRadixSort::SortKeys(storage, bytes, keysIn.data, keysOut.data, count);
    }
  };
  size_t bytes = 0;
  require(sort(nullptr, bytes), "DeviceRadixSort");
  Buffer<uint8_t> storage(bytes);
  Buffer<Faults> faults(1);
  if (!keysIn.data || !keysOut.data || !valuesIn.data || !valuesOut.data || !storage.data ||
      !faults.data) {
    std::printf("# 2^%d %s: not enough memory\n", size, kind);
    return true;
  }
  require(cudaMemset(faults.data, 0, sizeof(Faults)), "cudaMemset");
  Stopwatch stopwatch;

  // The first sort loads the kernels, and is not timed.
  fill<<<BLOCKS, THREADS>>>(keysIn.data, from, length, keys.words, size);
  require(sort(storage.data, bytes), "DeviceRadixSort");
  warmUp(keysIn.data, length);
  for (int sample = 0; sample < SAMPLES; sample++) {
    const uint64_t seed = (uint64_t{1} + sample) << 32 | size;
    fill<<<BLOCKS, THREADS>>>(keysIn.data, from, length, keys.words, seed);
    stopwatch.start(sample);
    require(sort(storage.data, bytes), "DeviceRadixSort");
    stopwatch.stop(sample);
    check<<<BLOCKS, THREADS>>>(keysIn.data, keysOut.data, to, length, faults.data);
  }
  require(cudaGetLastError(), "a kernel of the benchmark");
  require(cudaDeviceSynchronize(), "the sorts");

  char what[40];
  std::snprintf(what, sizeof what, "2^%d %s %s", size, kind, countType);
  if (!wereRight(faults.data, what)) return false;
  const double milliseconds = stopwatch.median();
  std::printf("cub 2^%d %s %.4f ms %.2f G/s %s %s\n", size, kind, milliseconds,
              length / milliseconds / 1e6, countType, endOf(keys));
  std::fflush(stdout);
  return true;
}

/** Measures std::sort on the host, and prints its line. Returns whether all was right. */
bool measureHost(int size, const Distribution& keys) {
  constexpr int HOST_SAMPLES = 5;
  const size_t length = size_t{1} << size;
  std::vector<uint32_t> words(length);
  std::array<double, HOST_SAMPLES> times;
  for (int sample = -1; sample < HOST_SAMPLES; sample++) {
    const uint64_t seed = (uint64_t{2} + sample) << 32 | size;
    for (size_t i = 0; i < length; i++) words[i] = keyOf<uint32_t>(i, length, keys.words, seed);
    const auto start = std::chrono::steady_clock::now();
    std::sort(words.begin(), words.end());
    const std::chrono::duration<double, std::milli> taken =
        std::chrono::steady_clock::now() - start;
    // The first sort is not counted.
    if (sample >= 0) times[sample] = taken.count();
    if (!std::is_sorted(words.begin(), words.end())) return false;
  }
  std::sort(times.begin(), times.end());
  const double milliseconds = times[HOST_SAMPLES / 2];
  std::printf("std::sort 2^%d keys32 %.4f ms %.4f G/s host %s\n", size, milliseconds,
              length / milliseconds / 1e6, endOf(keys));
  std::fflush(stdout);
  return true;
}

constexpr std::string_view KINDS[] = {"keys32", "pairs32", "keys64", "pairs64", "std::sort"};

/** What is measured: CUB on all kinds of records, of random keys, where nothing is named. */
class Selection {
 public:
  Selection(int count, char** arguments) : names(arguments, arguments + count) {}

  bool hasKind(std::string_view kind) const {
    const bool isNamed = std::any_of(
        std::begin(KINDS), std::end(KINDS), [this](std::string_view one) { return has(one); });
    return isNamed ? has(kind) : kind != "std::sort";
  }
  bool hasKeys(const Distribution& keys) const {
    const auto isOne = [this](const Distribution& one) { return has(one.name); };
    const bool isNamed = std::any_of(std::begin(DISTRIBUTIONS), std::end(DISTRIBUTIONS), isOne);
    return isNamed ? has(keys.name) : keys.words == 1;
  }
  /** Whether all names mean something. */
  bool isKnown() const {
    return std::all_of(names.begin(), names.end(), [](std::string_view name) {
      const auto isOne = [name](const Distribution& one) { return name == one.name; };
      return std::find(std::begin(KINDS), std::end(KINDS), name) != std::end(KINDS) ||
             std::any_of(std::begin(DISTRIBUTIONS), std::end(DISTRIBUTIONS), isOne);
    });
  }

 private:
  bool has(std::string_view name) const {
    return std::find(names.begin(), names.end(), name) != names.end();
  }

  std::vector<std::string_view> names;
};

template <typename Count>
bool measureSize(int size, const char* countType, const Selection& only) {
  bool isRight = true;
  for (const Distribution& keys : DISTRIBUTIONS) {
    if (!only.hasKeys(keys)) continue;
    if (only.hasKind("keys32"))
      isRight &= measure<uint32_t, false, Count>(size, "keys32", countType, keys);
    if (only.hasKind("pairs32"))
      isRight &= measure<uint32_t, true, Count>(size, "pairs32", countType, keys);
    if (only.hasKind("keys64"))
      isRight &= measure<uint64_t, false, Count>(size, "keys64", countType, keys);
    if (only.hasKind("pairs64"))
      isRight &= measure<uint64_t, true, Count>(size, "pairs64", countType, keys);
  }
  return isRight;
}

}  // namespace

int main(int count, char** arguments) {
  const int smallest = count > 1 ? std::atoi(arguments[1]) : 12;
  const int largest = count > 2 ? std::atoi(arguments[2]) : 28;
  const Selection only(std::max(0, count - 3), arguments + std::min(count, 3));
  if (smallest < 1 || largest > 30 || smallest > largest || !only.isKnown()) {
    std::fprintf(stderr, "usage: cub [SMALLEST LARGEST [ONLY...]]   powers of two: 12 28\n");
    return 1;
  }
  printVersions();
  bool isRight = true;
  for (int size = smallest; size <= largest; size++) {
    isRight &= measureSize<int>(size, "int", only);
    isRight &= measureSize<int64_t>(size, "int64_t", only);
    for (const Distribution& keys : DISTRIBUTIONS) {
      if (only.hasKind("std::sort") && only.hasKeys(keys)) isRight &= measureHost(size, keys);
    }
  }
  return isRight ? 0 : 1;
}
