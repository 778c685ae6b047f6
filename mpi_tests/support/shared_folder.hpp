// SPDX-License-Identifier: Apache-2.0
// A temporary folder that all ranks of a test use; made and removed by rank 0.
#pragma once

#include <mpi.h>

#include <array>
#include <memory>
#include <string>

#include "support/temporary_folder.hpp"
#include "support/world.hpp"

namespace stowage::test {

// Constructor and destructor are collective over `world`.
class SharedFolder {
 public:
  explicit SharedFolder(const World& world) : world_(world) {
    std::array<char, 4096> path{};
    if (world.rank() == 0) {
      folder_ = std::make_unique<TemporaryFolder>();
      folder_->path().string().copy(path.data(), path.size() - 1);
    }
    MPI_Bcast(path.data(), static_cast<int>(path.size()), MPI_CHAR, 0, world.get());
    path_ = path.data();
  }
  ~SharedFolder() { world_.barrier(); }
  SharedFolder(const SharedFolder&) = delete;
  SharedFolder& operator=(const SharedFolder&) = delete;

  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  const World& world_;
  std::unique_ptr<TemporaryFolder> folder_;  // on rank 0
  std::string path_;
};

}  // namespace stowage::test
