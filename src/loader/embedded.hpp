// SPDX-License-Identifier: Apache-2.0
// The stream of one replica made in this very process, without loader ranks and without MPI: for laptops and tests.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "deliver/step_queue.hpp"
#include "deliver/step_source.hpp"
#include "loader/pipeline.hpp"

namespace stowage::loader {

class Embedded final : public deliver::StepSource {
 public:
  // Reads the configuration and opens the sources. replica -1 is replica 0.
  Embedded(const std::string& config_path, std::int32_t replica, const deliver::Coordinates& coordinates = {});

  const stowage_info& info() const noexcept override { return info_; }
  MPI_Comm communicator() const noexcept override { return MPI_COMM_NULL; }

  // Makes the step here and now; never times out.
  const deliver::StepView* acquire(double seconds) override;
  void release(const stowage_step& step) override { steps_.release(step); }
  void close() override {}

 private:
  config::Config config_;
  std::unique_ptr<exchange::Team> team_;
  Catalogue catalogue_;
  stowage_info info_;
  Pipeline pipeline_;
  deliver::StepQueue steps_;
  bool ended_ = false;
};

}  // namespace stowage::loader
