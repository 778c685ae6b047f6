// SPDX-License-Identifier: Apache-2.0
#include "mpi/file.hpp"

#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/narrow.hpp"
#include "mpi/check.hpp"

namespace stowage::mpi {
namespace {

// The bytes of a file that a rank sees: its parts, or everything where there is none (MPI-IO has no empty view).
class View {
 public:
  explicit View(std::span<const FilePart> parts) {
    if (parts.empty()) return;
    std::vector<int> lengths;
    std::vector<MPI_Aint> places;
    for (const FilePart& part : parts) {
      lengths.push_back(part.bytes);
      places.push_back(narrow<MPI_Aint>(part.offset, "file offset"));
    }
    check(MPI_Type_create_hindexed(narrow<int>(parts.size(), "parts of a file"), lengths.data(), places.data(),
                                   MPI_BYTE, &type_),
          "MPI_Type_create_hindexed");
    check(MPI_Type_commit(&type_), "MPI_Type_commit");
  }
  ~View() {
    if (type_ != MPI_BYTE) MPI_Type_free(&type_);
  }
  View(const View&) = delete;
  View& operator=(const View&) = delete;

  MPI_Datatype type() const noexcept { return type_; }

 private:
  MPI_Datatype type_ = MPI_BYTE;
};

}  // namespace

File::File(MPI_Comm comm, std::string path) : path_(std::move(path)) {
  check_file(MPI_File_open(comm, path_.c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL, &file_), "MPI_File_open");
}

File::~File() {
  if (file_ != MPI_FILE_NULL && usable()) MPI_File_close(&file_);
}

std::uint64_t File::size() const {
  MPI_Offset bytes = 0;
  check_file(MPI_File_get_size(file_, &bytes), "MPI_File_get_size");
  return narrow<std::uint64_t>(bytes, "file size");
}

void File::read_all(std::span<const FilePart> parts, ByteSpan out) {
  const View view(parts);
  char native[] = "native";
  const int viewed = MPI_File_set_view(file_, 0, MPI_BYTE, view.type(), native, MPI_INFO_NULL);
  MPI_Status status{};
  const int wanted = narrow<int>(out.size(), "bytes of a transfer");
  const int rc = MPI_File_read_at_all(file_, 0, out.data(), wanted, MPI_BYTE, &status);
  check_file(viewed, "MPI_File_set_view");
  check_file(rc, "MPI_File_read_at_all");
  int got = 0;
  check(MPI_Get_count(&status, MPI_BYTE, &got), "MPI_Get_count");
  if (got != wanted) {
    fail(STOWAGE_DATA_ERROR, "{}: offset {}: wanted {} bytes in {} parts, got {}; the file ends too early", path_,
         parts.empty() ? 0 : parts.front().offset, wanted, parts.size(), got);
  }
}

void File::check_file(int rc, const char* call) const {
  if (rc == MPI_SUCCESS) return;
  try {
    check(rc, call);
  } catch (const Error& error) {
    fail(STOWAGE_IO_ERROR, "{}: {}", path_, error.what());
  }
}

}  // namespace stowage::mpi
