// SPDX-License-Identifier: Apache-2.0
#include "h5/dataset.hpp"

#include <algorithm>

namespace stowage::h5 {

std::uint64_t length_of(const File& file, const DatasetId& dataset, const std::string& name) {
  const Context context{"read the shape of", name, file.path()};
  const SpaceId space(call(context, H5Dget_space, dataset.id()));
  const int rank = call(context, H5Sget_simple_extent_ndims, space.id());
  if (rank != 1) fail(STOWAGE_DATA_ERROR, "{}: {}: expected 1 dimension, found {}", file.path(), name, rank);
  hsize_t length = 0;
  call(context, H5Sget_simple_extent_dims, space.id(), &length, nullptr);
  return length;
}

DatasetId create_contiguous(const File& file, const std::string& name, hid_t disk_type, std::uint64_t elements) {
  const Context context{"create dataset", name, file.path(), STOWAGE_IO_ERROR};
  const hsize_t length = elements;
  return create_contiguous(file, name, disk_type, SpaceId(call(context, H5Screate_simple, 1, &length, nullptr)));
}

DatasetId create_contiguous(const File& file, const std::string& name, hid_t disk_type, const SpaceId& shape) {
  const Context context{"create dataset", name, file.path(), STOWAGE_IO_ERROR};
  const PropertyList creation(call(context, H5Pcreate, H5P_DATASET_CREATE));
  call(context, H5Pset_layout, creation.id(), H5D_CONTIGUOUS);
  call(context, H5Pset_alloc_time, creation.id(), H5D_ALLOC_TIME_EARLY);
  call(context, H5Pset_fill_time, creation.id(), H5D_FILL_TIME_NEVER);
  call(context, H5Pset_obj_track_times, creation.id(), false);
  return DatasetId(call(context, H5Dcreate2, file.id(), name.c_str(), disk_type, shape.id(), H5P_DEFAULT, creation.id(),
                        H5P_DEFAULT));
}

DatasetId open_dataset(const File& file, const std::string& name) {
  return DatasetId(call({"open dataset", name, file.path()}, H5Dopen2, file.id(), name.c_str(), H5P_DEFAULT));
}

TypeId dataset_type(const File& file, const DatasetId& dataset, const std::string& name) {
  return TypeId(call({"read the type of", name, file.path()}, H5Dget_type, dataset.id()));
}

Extent contiguous_extent(const File& file, const DatasetId& dataset, const std::string& name,
                         std::uint64_t file_bytes) {
  const Context context{"read the layout of", name, file.path()};
  const PropertyList creation(call(context, H5Dget_create_plist, dataset.id()));
  if (call(context, H5Pget_layout, creation.id()) != H5D_CONTIGUOUS ||
      call(context, H5Pget_external_count, creation.id()) != 0) {
    fail(STOWAGE_DATA_ERROR, "{}: {}: expected a contiguous dataset within the file, found another layout", file.path(),
         name);
  }
  const std::uint64_t elements = length_of(file, dataset, name);
  const std::uint64_t width = H5Tget_size(dataset_type(file, dataset, name).id());
  if (elements == 0) return {};
  const detail::Quiet quiet;
  const haddr_t offset = H5Dget_offset(dataset.id());
  if (offset == HADDR_UNDEF || width == 0 || offset > file_bytes || elements > (file_bytes - offset) / width) {
    fail(STOWAGE_DATA_ERROR, "{}: {}: expected {} elements of {} bytes within the file of {} bytes, found {}",
         file.path(), name, elements, width, file_bytes,
         offset == HADDR_UNDEF ? "no space allocated" : fmt::format("them to begin at byte {}", offset));
  }
  return {offset, elements, elements * width};
}

namespace detail {

void write_all(const File& file, const DatasetId& dataset, const std::string& name, hid_t memory, const void* values) {
  call({"write dataset", name, file.path(), STOWAGE_IO_ERROR}, H5Dwrite, dataset.id(), memory, H5S_ALL, H5S_ALL,
       H5P_DEFAULT, values);
}

void read_all(const File& file, const DatasetId& dataset, const std::string& name, hid_t disk, hid_t memory,
              std::uint64_t elements, void* values) {
  const Context context{"read dataset", name, file.path()};
  if (call(context, H5Tequal, dataset_type(file, dataset, name).id(), disk) == 0) {
    fail(STOWAGE_DATA_ERROR, "{}: {}: expected little-endian numbers of {} bytes, found another type", file.path(),
         name, H5Tget_size(disk));
  }
  if (const std::uint64_t found = length_of(file, dataset, name); found != elements) {
    fail(STOWAGE_DATA_ERROR, "{}: {}: expected {} elements, found {}", file.path(), name, elements, found);
  }
  call(context, H5Dread, dataset.id(), memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
}

}  // namespace detail
}  // namespace stowage::h5
