// SPDX-License-Identifier: Apache-2.0
// The C API: arguments checked, exceptions turned into a status and the calling thread's last message.
#include <cstring>
#include <memory>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "deliver/client.hpp"
#include "deliver/step_digest.hpp"
#include "loader/embedded.hpp"
#include "mpi/check.hpp"
#include "mpi/wait.hpp"
#include "stowage.h"

struct stowage_trainer {
  std::unique_ptr<stowage::deliver::StepSource> source;
  double acquire_seconds = 0;
  bool failed = false;  // only destroy is left
};

namespace {

thread_local std::string last_message;

// Runs `body`, which returns a status; the only way into the library.
template <typename Body>
stowage_status guarded(Body&& body) noexcept {
  try {
    last_message.clear();
    return body();
  } catch (...) {
    auto [status, message] = stowage::current_exception_status();
    try {
      last_message = std::move(message);
    } catch (...) {
    }
    return status;
  }
}

template <typename T>
T& required(T* argument, const char* name) {
  if (argument == nullptr) stowage::fail(STOWAGE_INVALID_ARGUMENT, "{} must not be NULL", name);
  return *argument;
}

stowage_trainer_options defaults() {
  return {.replica = -1,
          .startup_seconds = 300.0,
          .acquire_seconds = 0.0,
          .tensor_parallel_rank = 0,
          .tensor_parallel_size = 1,
          .context_parallel_rank = 0,
          .context_parallel_size = 1,
          .pipeline_parallel_rank = 0,
          .pipeline_parallel_size = 1,
          .resume_step = -1};
}

stowage_trainer_options checked(const stowage_trainer_options* options) {
  const stowage_trainer_options chosen = options != nullptr ? *options : defaults();
  if (chosen.replica < -1) {
    stowage::fail(STOWAGE_INVALID_ARGUMENT, "options.replica must be >= -1, got {}", chosen.replica);
  }
  if (!(chosen.startup_seconds > 0)) {
    stowage::fail(STOWAGE_INVALID_ARGUMENT, "options.startup_seconds must be > 0, got {}", chosen.startup_seconds);
  }
  if (!(chosen.acquire_seconds >= 0)) {
    stowage::fail(STOWAGE_INVALID_ARGUMENT, "options.acquire_seconds must be >= 0, got {}", chosen.acquire_seconds);
  }
  if (chosen.resume_step < -1) {
    stowage::fail(STOWAGE_INVALID_ARGUMENT, "options.resume_step must be >= -1, got {}", chosen.resume_step);
  }
  return chosen;
}

// Checked where the configuration is known.
stowage::deliver::Coordinates coordinates_of(const stowage_trainer_options& options) {
  return {.tensor = {options.tensor_parallel_rank, options.tensor_parallel_size},
          .context = {options.context_parallel_rank, options.context_parallel_size},
          .pipeline = {options.pipeline_parallel_rank, options.pipeline_parallel_size}};
}

stowage_trainer& alive(stowage_trainer* trainer) {
  stowage_trainer& handle = required(trainer, "trainer");
  if (handle.failed) {
    stowage::fail(STOWAGE_STATE_ERROR, "the trainer has failed before; only stowage_trainer_destroy is left");
  }
  return handle;
}

}  // namespace

stowage_status stowage_trainer_options_init(stowage_trainer_options* options) {
  return guarded([&] {
    required(options, "options") = defaults();
    return STOWAGE_OK;
  });
}

stowage_status stowage_trainer_create(MPI_Comm world, const stowage_trainer_options* options,
                                      stowage_trainer** trainer) {
  return guarded([&] {
    required(trainer, "trainer") = nullptr;
    const stowage_trainer_options chosen = checked(options);
    if (!stowage::mpi::usable()) {
      stowage::fail(STOWAGE_STATE_ERROR, "MPI must be initialised before stowage_trainer_create and not finalised");
    }
    auto client = std::make_unique<stowage::deliver::Client>(world, chosen.replica, chosen.startup_seconds,
                                                             coordinates_of(chosen), chosen.resume_step);
    auto handle = std::make_unique<stowage_trainer>();
    handle->acquire_seconds = chosen.acquire_seconds > 0 ? chosen.acquire_seconds : client->default_acquire_seconds();
    handle->source = std::move(client);
    *trainer = handle.release();
    return STOWAGE_OK;
  });
}

stowage_status stowage_trainer_create_embedded(const char* config_path, const stowage_trainer_options* options,
                                               stowage_trainer** trainer) {
  return guarded([&] {
    required(trainer, "trainer") = nullptr;
    const stowage_trainer_options chosen = checked(options);
    auto handle = std::make_unique<stowage_trainer>();
    handle->source = std::make_unique<stowage::loader::Embedded>(&required(config_path, "config_path"), chosen.replica,
                                                                 coordinates_of(chosen), chosen.resume_step);
    *trainer = handle.release();
    return STOWAGE_OK;
  });
}

stowage_status stowage_trainer_destroy(stowage_trainer** trainer) {
  return guarded([&] {
    if (trainer == nullptr || *trainer == nullptr) return STOWAGE_OK;
    const std::unique_ptr<stowage_trainer> handle(*trainer);
    *trainer = nullptr;
    handle->source->close();
    return STOWAGE_OK;
  });
}

stowage_status stowage_trainer_comm(const stowage_trainer* trainer, MPI_Comm* comm) {
  return guarded([&] {
    required(comm, "comm") = required(trainer, "trainer").source->communicator();
    return STOWAGE_OK;
  });
}

stowage_status stowage_trainer_info(const stowage_trainer* trainer, stowage_info* info) {
  return guarded([&] {
    required(info, "info") = required(trainer, "trainer").source->info();
    return STOWAGE_OK;
  });
}

stowage_status stowage_step_acquire(stowage_trainer* trainer, const stowage_step** step) {
  return guarded([&] {
    required(step, "step") = nullptr;
    stowage_trainer& handle = alive(trainer);
    try {
      const stowage::deliver::StepView* view = handle.source->acquire(handle.acquire_seconds);
      if (view == nullptr) return STOWAGE_END;
      *step = &view->step();
      return STOWAGE_OK;
    } catch (...) {
      const stowage_status status = stowage::current_exception_status().first;
      handle.failed = status != STOWAGE_TIMEOUT && status != STOWAGE_STATE_ERROR;
      throw;
    }
  });
}

stowage_status stowage_step_release(stowage_trainer* trainer, const stowage_step** step) {
  return guarded([&] {
    stowage_trainer& handle = alive(trainer);
    const stowage_step*& borrowed = required(step, "step");
    required(borrowed, "*step");
    handle.source->release(*borrowed);
    borrowed = nullptr;
    return STOWAGE_OK;
  });
}

stowage_status stowage_checkpoint_save(stowage_trainer* trainer, uint64_t step) {
  return guarded([&] {
    alive(trainer).source->save(step);
    return STOWAGE_OK;
  });
}

stowage_status stowage_checkpoint_wait(stowage_trainer* trainer, uint64_t step, double seconds) {
  return guarded([&] {
    stowage_trainer& handle = alive(trainer);
    if (!(seconds >= 0)) stowage::fail(STOWAGE_INVALID_ARGUMENT, "seconds must be >= 0, got {}", seconds);
    const auto deadline = stowage::mpi::Deadline::after(stowage::mpi::Seconds(seconds));
    stowage::mpi::Backoff backoff;
    std::optional<stowage_status> known;
    while (!(known = handle.source->saved(step))) {
      if (deadline.passed()) {
        stowage::fail(STOWAGE_TIMEOUT, "the checkpoint of step {} was not durable within {:.1f} s", step, seconds);
      }
      backoff.pause();
    }
    if (*known != STOWAGE_OK) {
      throw stowage::Error(
          *known, fmt::format("the checkpoint of step {} could not be written; see the loaders' messages", step));
    }
    return STOWAGE_OK;
  });
}

stowage_status stowage_checkpoint_now(stowage_trainer* trainer) {
  if (trainer == nullptr) return STOWAGE_INVALID_ARGUMENT;  // no message: that would take memory in a signal handler
  trainer->source->preempt();
  return STOWAGE_OK;
}

stowage_status stowage_step_digest(const stowage_step* step, char hex[33]) {
  return guarded([&] {
    required(hex, "hex");
    const std::string text = stowage::deliver::step_digest(required(step, "step")).hex();
    std::memcpy(hex, text.c_str(), text.size() + 1);
    return STOWAGE_OK;
  });
}

const char* stowage_last_message(void) {
  return last_message.c_str();
}

const char* stowage_status_name(stowage_status status) {
  return stowage::status_name(status).data();
}

uint32_t stowage_version(void) {
  return STOWAGE_VERSION;
}
