/**
 * Native sorts for keysweep to be compared with: one process, which sorts on request, line by line.
 *
 *   native FILE
 *
 * FILE is opened at once. It holds the keys, raw and little-endian; the result overwrites them.
 * Standard input has a line a sort:
 *
 *   OPERATION ALGORITHM TYPE LENGTH THREADS     such as: sort radix u32 1000000 2
 *
 *   OPERATION  sort, or argsort (keys of 32 bits; the result are 32-bit positions)
 *   ALGORITHM  std::sort, vqsort, tbb::parallel_sort or radix; the first two take one thread
 *   TYPE       u32, f32, u64 or f64
 *   LENGTH     1 to 2^32 - 1 keys
 *
 * Standard output has a line of JSON with the versions, then one for each sort, in milliseconds:
 * {"copyIn":0.2,"sort":2.4,"copyOut":0.2}, the copies being those from the file's pages and back.
 * Or it has {"error":"what is wrong"}. Memory and threads are kept for the next sort. Results are
 * not checked here. Floats must not be NaN, nor both −0 and +0.
 */

// Only for its version: vqsort comes compiled, and chooses its instructions when it runs.
#define HWY_COMPILE_ONLY_STATIC

#include <fcntl.h>
#include <hwy/contrib/sort/vqsort.h>
#include <hwy/highway.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <tbb/parallel_sort.h>
#include <tbb/task_arena.h>
#include <tbb/version.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

/** A thread pool whose threads run one job together; the caller is the first of them. */
class ThreadPool {
 public:
  explicit ThreadPool(int size) : size(size), barrier(size) {
    for (int i = 1; i < size; i++) {
      others.emplace_back([this, i] {
        for (;;) {
          wait();
          if (!job) return;
          job(i);
          wait();
        }
      });
    }
  }
  ~ThreadPool() {
    job = nullptr;
    wait();
    for (auto& thread : others) thread.join();
  }

  /** Runs `work(0)` to `work(size - 1)`, each on a thread. */
  void run(std::function<void(int)> work) {
    job = std::move(work);
    wait();
    job(0);
    wait();
  }
  /** Waits until all threads have called it. */
  void wait() { barrier.arrive_and_wait(); }

  const int size;

 private:
  std::barrier<> barrier;
  std::function<void(int)> job;
  std::vector<std::thread> others;
};

/** Memory that grows, and is kept. */
class Memory {
 public:
  template <typename Element>
  Element* of(size_t length) {
    const size_t wanted = (length * sizeof(Element) + 4095) / 4096 * 4096;
    if (wanted > bytes) {
      pages.reset(std::aligned_alloc(4096, wanted));
      bytes = pages ? wanted : 0;
      if (!pages) throw std::runtime_error("no memory for so many keys");
    }
    return static_cast<Element*>(pages.get());
  }

 private:
  size_t bytes = 0;
  std::unique_ptr<void, decltype(&std::free)> pages{nullptr, &std::free};
};

/** As many unsigned bits as a key has. */
template <typename Key>
using WordOf = std::conditional_t<sizeof(Key) == 4, uint32_t, uint64_t>;

/** The word of the key with these bits. Words are in the order of the keys: floats are flipped. */
template <typename Key, typename Word = WordOf<Key>>
inline Word toWord(Word bits) {
  if constexpr (!std::is_floating_point_v<Key>) return bits;
  constexpr int top = 8 * sizeof(Word) - 1;
  return bits ^ ((Word{0} - (bits >> top)) | Word{1} << top);
}

/** The bits of the key that has this word. */
template <typename Key, typename Word = WordOf<Key>>
inline Word toBits(Word word) {
  if constexpr (!std::is_floating_point_v<Key>) return word;
  constexpr int top = 8 * sizeof(Word) - 1;
  return word ^ (((word >> top) - 1) | Word{1} << top);
}

using Counts = std::array<uint32_t, 256>;

/** Turns counts into the places where the keys of each digit begin. */
void scan(Counts& counts) {
  uint32_t sum = 0;
  for (uint32_t& count : counts) sum += std::exchange(count, sum);
}

/**
 * Sorts the words of a bucket by their digits of 8 bits from `low` up to `Digits` of them, an odd
 * number, and leaves them as keys in `to`. `from` is overwritten.
 */
template <typename Key, int Digits, typename Word = WordOf<Key>>
void sortBucket(Word* from, Word* to, size_t length, int low) {
  std::array<Counts, Digits> counts{};
  for (size_t i = 0; i < length; i++) {
    for (int d = 0; d < Digits; d++) counts[d][from[i] >> (low + 8 * d) & 255]++;
  }
  for (int d = 0; d < Digits; d++) {
    Counts& places = counts[d];
    scan(places);
    const int shift = low + 8 * d;
    if (d == Digits - 1) {
      for (size_t i = 0; i < length; i++) {
        to[places[from[i] >> shift & 255]++] = toBits<Key>(from[i]);
      }
    } else {
      for (size_t i = 0; i < length; i++) to[places[from[i] >> shift & 255]++] = from[i];
      std::swap(from, to);
    }
  }
}

/**
 * A radix sort as one writes it by hand. All threads divide the keys by their top 8 bits. Then each
 * takes bucket after bucket and sorts it from its lowest digit up, from bit `Low` on. Stable. Keys
 * that share their top bits, as floats of one magnitude do, keep one thread busy.
 */
template <typename Key, int Low = 0, typename Word = WordOf<Key>>
void radixSort(Word* keys, Word* other, size_t length, ThreadPool& threads) {
  constexpr int top = 8 * sizeof(Word) - 8;
  std::vector<Counts> counts(threads.size);
  std::atomic<int> nextBucket{0};
  threads.run([&](int me) {
    const size_t begin = length * me / threads.size, end = length * (me + 1) / threads.size;
    Counts mine{};
    for (size_t i = begin; i < end; i++) mine[toWord<Key>(keys[i]) >> top]++;
    counts[me] = mine;
    threads.wait();

    Counts starts{}, places;
    for (const Counts& theirs : counts) {
      for (int digit = 0; digit < 256; digit++) starts[digit] += theirs[digit];
    }
    scan(starts);
    places = starts;
    for (int before = 0; before < me; before++) {
      for (int digit = 0; digit < 256; digit++) places[digit] += counts[before][digit];
    }
    for (size_t i = begin; i < end; i++) {
      const Word word = toWord<Key>(keys[i]);
      other[places[word >> top]++] = word;
    }
    threads.wait();

    for (int bucket; (bucket = nextBucket++) < 256;) {
      const size_t first = starts[bucket], last = bucket < 255 ? starts[bucket + 1] : length;
      sortBucket<Key, (top - Low) / 8>(other + first, keys + first, last - first, Low);
    }
  });
}

/** Memory and threads that are kept from sort to sort. */
struct Kept {
  Memory keys, other, records;
  std::optional<ThreadPool> threads;
  hwy::Sorter vqsort;
};

struct Request {
  std::string operation, algorithm, type;
  size_t length;
  int threads;
};

/**
 * Sorts keys. `Low`: the lowest bit that has to decide; comparisons of whole keys decide by all.
 */
template <int Low = 0, typename Key>
void sortKeys(Key* keys, const Request& request, Kept& kept, tbb::task_arena& arena) {
  const size_t length = request.length;
  if (request.algorithm == "std::sort") {
    std::sort(keys, keys + length);
  } else if (request.algorithm == "vqsort") {
    kept.vqsort(keys, length, hwy::SortAscending{});
  } else if (request.algorithm == "tbb::parallel_sort") {
    arena.execute([&] { tbb::parallel_sort(keys, keys + length); });
  } else {
    using Word = WordOf<Key>;
    Word* const other = kept.other.of<Word>(length);
    radixSort<Key, Low>(reinterpret_cast<Word*>(keys), other, length, *kept.threads);
  }
}

/**
 * Writes the stable permutation over the keys. Each key's word and position are one record of 64
 * bits, which any sort of 64-bit integers puts in order.
 */
template <typename Key>
void argsort(Key* keys, const Request& request, Kept& kept, tbb::task_arena& arena) {
  auto* words = reinterpret_cast<uint32_t*>(keys);
  uint64_t* records = kept.records.of<uint64_t>(request.length);
  const size_t length = request.length;
  for (size_t i = 0; i < length; i++) records[i] = uint64_t{toWord<Key>(words[i])} << 32 | i;
  sortKeys<32>(records, request, kept, arena);
  for (size_t i = 0; i < length; i++) words[i] = static_cast<uint32_t>(records[i]);
}

/** The first pages of an open file, as long as this lives. */
class MappedFile {
 public:
  MappedFile(int file, size_t bytes) : bytes(bytes) {
    struct stat status;
    if (fstat(file, &status) != 0 || static_cast<size_t>(status.st_size) < bytes) {
      throw std::runtime_error("the file has too few keys");
    }
    pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file, 0);
    if (pages == MAP_FAILED) throw std::runtime_error("the file cannot be mapped");
  }
  ~MappedFile() { munmap(pages, bytes); }
  MappedFile(const MappedFile&) = delete;

  const size_t bytes;
  void* pages;
};

using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/** Sorts the file's keys by the request. Returns the line of the response. */
template <typename Key>
std::string serve(int descriptor, const Request& request, Kept& kept) {
  MappedFile file(descriptor, request.length * sizeof(Key));
  Key* keys = kept.keys.of<Key>(request.length);
  tbb::task_arena arena(request.threads);
  arena.initialize();

  auto start = Clock::now();
  std::memcpy(keys, file.pages, file.bytes);
  const double copyIn = since(start);

  start = Clock::now();
  if (request.operation == "sort") {
    sortKeys(keys, request, kept, arena);
  } else if constexpr (sizeof(Key) == 4) {
    argsort(keys, request, kept, arena);
  } else {
    throw std::runtime_error("argsort takes keys of 32 bits");
  }
  const double sort = since(start);

  start = Clock::now();
  std::memcpy(file.pages, keys, file.bytes);
  const double copyOut = since(start);

  std::ostringstream answer;
  answer << "{\"copyIn\":" << copyIn << ",\"sort\":" << sort << ",\"copyOut\":" << copyOut << "}";
  return answer.str();
}

std::string answer(int file, const std::string& line, Kept& kept) {
  Request request;
  std::istringstream words(line);
  words >> request.operation >> request.algorithm >> request.type;
  words >> request.length >> request.threads;
  const auto& [operation, algorithm, type, length, threads] = request;
  if (!words || threads < 1 || length < 1 || length > UINT32_MAX) {
    throw std::runtime_error(
        "a line is OPERATION ALGORITHM TYPE LENGTH THREADS, "
        "the numbers from 1, LENGTH to 2^32 - 1");
  }
  if (operation != "sort" && operation != "argsort") {
    throw std::runtime_error("OPERATION is sort or argsort");
  }
  const std::array algorithms{"std::sort", "vqsort", "tbb::parallel_sort", "radix"};
  if (std::find(algorithms.begin(), algorithms.end(), algorithm) == algorithms.end()) {
    throw std::runtime_error("ALGORITHM is std::sort, vqsort, tbb::parallel_sort or radix");
  }
  if (algorithm == "radix" && (!kept.threads || kept.threads->size != threads)) {
    kept.threads.emplace(threads);
  }
  if (type == "u32") return serve<uint32_t>(file, request, kept);
  if (type == "f32") return serve<float>(file, request, kept);
  if (type == "u64") return serve<uint64_t>(file, request, kept);
  if (type == "f64") return serve<double>(file, request, kept);
  throw std::runtime_error("TYPE is u32, f32, u64 or f64");
}

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: native FILE\n";
    return 2;
  }
  const int file = open(arguments[1], O_RDWR);
  if (file < 0) {
    std::cerr << arguments[1] << " cannot be opened\n";
    return 1;
  }
  std::cout << "{\"compiler\":\"" << COMPILER << "\",\"highway\":\"" << HWY_MAJOR << "."
            << HWY_MINOR << "." << HWY_PATCH << "\",\"tbb\":\"" << TBB_VERSION_STRING << "\"}"
            << std::endl;
  Kept kept;
  for (std::string line; std::getline(std::cin, line);) {
    try {
      std::cout << answer(file, line, kept) << std::endl;
    } catch (const std::exception& error) {
      std::cout << "{\"error\":\"" << error.what() << "\"}" << std::endl;
    }
  }
}
