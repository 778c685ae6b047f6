// SPDX-License-Identifier: Apache-2.0
#include "h5/collective.hpp"

#include <algorithm>

#include "base/assert.hpp"

namespace stowage::h5 {
namespace {

TransferReport report_on(const PropertyList& transfer, const Context& context) {
  H5D_mpio_actual_io_mode_t mode = H5D_MPIO_NO_COLLECTIVE;
  call(context, H5Pget_mpio_actual_io_mode, transfer.id(), &mode);
  if (mode != H5D_MPIO_NO_COLLECTIVE) return {};
  std::uint32_t local = 0;
  std::uint32_t global = 0;
  call(context, H5Pget_mpio_no_collective_cause, transfer.id(), &local, &global);
  return {false, fmt::format("{}: {}: H5D_mpio_no_collective_cause_t is {:#x} on this rank, {:#x} on all together",
                             context.file, context.object, local, global)};
}

// The ranges as a selection of the dataset's elements.
SpaceId select(const DatasetId& dataset, std::span<const ElementRange> ranges, const Context& context) {
  SpaceId space(call(context, H5Dget_space, dataset.id()));
  call(context, H5Sselect_none, space.id());
  for (const ElementRange& range : ranges) {
    const hsize_t begin = range.begin;
    const hsize_t count = range.count;
    call(context, H5Sselect_hyperslab, space.id(), H5S_SELECT_OR, &begin, nullptr, &count, nullptr);
  }
  return space;
}

SpaceId in_memory(std::uint64_t elements, const Context& context) {
  const hsize_t length = std::max<hsize_t>(1, elements);
  SpaceId space(call(context, H5Screate_simple, 1, &length, nullptr));
  if (elements == 0) call(context, H5Sselect_none, space.id());
  return space;
}

}  // namespace

PropertyList collective_file_access(MPI_Comm comm) {
  const Context context{"set up", "collective file access", "HDF5", STOWAGE_INTERNAL_ERROR};
  PropertyList access = file_access();
  call(context, H5Pset_fapl_mpio, access.id(), comm, MPI_INFO_NULL);
  call(context, H5Pset_all_coll_metadata_ops, access.id(), true);
  return access;
}

TransferReport read_ranges_together(const File& file, const DatasetId& dataset, const std::string& name,
                                    std::span<const ElementRange> ranges, ByteSpan out) {
  const Context context{"read dataset", name, file.path()};
  const TypeId type = dataset_type(file, dataset, name);
  std::uint64_t elements = 0;
  for (const ElementRange& range : ranges) elements += range.count;
  STOWAGE_ASSERT(kAssertLight, elements * H5Tget_size(type.id()) == out.size(), "{} elements of {} bytes into {} bytes",
                 elements, H5Tget_size(type.id()), out.size());

  const SpaceId stored = select(dataset, ranges, context);
  const SpaceId memory = in_memory(elements, context);
  const PropertyList transfer(call(context, H5Pcreate, H5P_DATASET_XFER));
  call(context, H5Pset_dxpl_mpio, transfer.id(), H5FD_MPIO_COLLECTIVE);
  std::byte nothing{};  // HDF5 refuses a null pointer also where nothing is read
  call(context, H5Dread, dataset.id(), type.id(), memory.id(), stored.id(), transfer.id(),
       static_cast<void*>(out.empty() ? &nothing : out.data()));
  return report_on(transfer, context);
}

}  // namespace stowage::h5
