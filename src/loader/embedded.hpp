// SPDX-License-Identifier: Apache-2.0
// The stream of one replica made in this very process, without loader ranks and without MPI: for laptops and tests.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "deliver/save.hpp"
#include "deliver/step_queue.hpp"
#include "deliver/step_source.hpp"
#include "loader/checkpoints.hpp"
#include "loader/pipeline.hpp"
#include "loader/resume.hpp"

namespace stowage::loader {

class Embedded final : public deliver::StepSource {
 public:
  // Reads the configuration and opens the sources. replica -1 is replica 0; resume_step as in stowage_trainer_options.
  Embedded(const std::string& config_path, std::int32_t replica, const deliver::Coordinates& coordinates = {},
           std::int64_t resume_step = -1);

  const stowage_info& info() const noexcept override { return info_; }
  MPI_Comm communicator() const noexcept override { return MPI_COMM_NULL; }

  // Makes the step here and now; never times out.
  const deliver::StepView* acquire(double seconds) override;
  void release(const stowage_step& step) override;
  void save(std::uint64_t step) override;
  std::optional<Status> saved(std::uint64_t step) override;
  void preempt() noexcept override { preempted_ = true; }
  void close() override {}

 private:
  Checkpoints& checkpoints();
  void end_saved();

  config::Config config_;
  std::unique_ptr<exchange::Team> team_;
  Catalogue catalogue_;
  Start start_;
  stowage_info info_;
  Pipeline pipeline_;
  checkpoint::Ledger ledger_;
  std::unique_ptr<Checkpoints> checkpoints_;  // once one is asked for: the folder has one writer
  deliver::SavesAsked saves_;
  std::atomic<bool> preempted_{false};
  deliver::StepQueue steps_;
  bool ended_ = false;
};

}  // namespace stowage::loader
