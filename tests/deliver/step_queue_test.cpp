// SPDX-License-Identifier: Apache-2.0
#include "deliver/step_queue.hpp"

#include "support/errors.hpp"

namespace stowage::deliver {
namespace {

AlignedBuffer block_of_step(std::uint64_t step) {
  const std::vector<MicroShape> shapes{{1, 0, 0, 1}};
  BlockHead head;
  head.step = step;
  return StepBlock(head, shapes).take();
}

TEST(StepQueue, HandsStepsOutInOrderAndKeepsHeldOnes) {
  StepQueue queue;
  for (std::uint64_t step = 0; step < 3; ++step) queue.arrive(block_of_step(step));

  const StepView* first = queue.acquire();
  const StepView* second = queue.acquire();
  queue.arrive(block_of_step(3));

  EXPECT_EQ(first->step().step, 0U);
  EXPECT_EQ(second->step().step, 1U);
  EXPECT_EQ(queue.held(), 2U);
  EXPECT_TRUE(queue.ready());
}

TEST(StepQueue, RefusesToHoldMoreThanAllowed) {
  StepQueue queue;
  queue.arrive(block_of_step(0));
  queue.acquire();

  EXPECT_ERROR(queue.require_room(1), STOWAGE_STATE_ERROR, "at most 1 steps may be held");
  EXPECT_NO_THROW(queue.require_room(2));
}

TEST(StepQueue, ReleasesInTheOrderOfAcquiringOnly) {
  StepQueue queue;
  for (std::uint64_t step = 0; step < 2; ++step) queue.arrive(block_of_step(step));
  const StepView* first = queue.acquire();
  const StepView* second = queue.acquire();

  EXPECT_ERROR(queue.release(second->step()), STOWAGE_STATE_ERROR, "expected step 0 first");
  queue.release(first->step());
  queue.release(second->step());
  EXPECT_ERROR(queue.release(second->step()), STOWAGE_STATE_ERROR, "no step is held");
  EXPECT_EQ(queue.released(), 2U);
}

}  // namespace
}  // namespace stowage::deliver
