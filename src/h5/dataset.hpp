// SPDX-License-Identifier: Apache-2.0
// One-dimensional datasets that lie in one piece in their file, so that they can also be read without HDF5.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "h5/file.hpp"
#include "h5/type.hpp"

namespace stowage::h5 {

// Where a contiguous dataset lies. offset = 0 where there is nothing to store.
struct Extent {
  std::uint64_t offset = 0;  // of element 0 in the file, bytes
  std::uint64_t elements = 0;
  std::uint64_t bytes = 0;
};

// Creates a contiguous dataset whose space is allocated at once and not filled. Write it with write(), or by its
// extent's offset after the file was closed.
DatasetId create_contiguous(const File& file, const std::string& name, hid_t disk_type, std::uint64_t elements);
DatasetId create_contiguous(const File& file, const std::string& name, hid_t disk_type, const SpaceId& shape);

DatasetId open_dataset(const File& file, const std::string& name);

// Elements of a dataset; throws STOWAGE_DATA_ERROR unless it is one-dimensional.
std::uint64_t length_of(const File& file, const DatasetId& dataset, const std::string& name);

// Throws STOWAGE_DATA_ERROR unless the dataset is one-dimensional, contiguous, within this very file and has its space
// allocated before `file_bytes`, the file's size. `name` is for messages.
Extent contiguous_extent(const File& file, const DatasetId& dataset, const std::string& name, std::uint64_t file_bytes);

// The on-disk type of a dataset; compare with H5Tequal.
TypeId dataset_type(const File& file, const DatasetId& dataset, const std::string& name);

namespace detail {
void write_all(const File& file, const DatasetId& dataset, const std::string& name, hid_t memory, const void* values);
void read_all(const File& file, const DatasetId& dataset, const std::string& name, hid_t disk, hid_t memory,
              std::uint64_t elements, void* values);
}  // namespace detail

// Creates a contiguous dataset and writes all of it. Not collective.
template <typename T>
DatasetId write_array(const File& file, const std::string& name, std::span<const T> values) {
  DatasetId dataset = create_contiguous(file, name, disk_type<T>(), values.size());
  detail::write_all(file, dataset, name, memory_type<T>(), values.data());
  return dataset;
}

// Reads a whole dataset; throws STOWAGE_DATA_ERROR if it is stored in another type than T or in another length.
template <typename T>
void read_array(const File& file, const DatasetId& dataset, const std::string& name, std::span<T> values) {
  detail::read_all(file, dataset, name, disk_type<T>(), memory_type<T>(), values.size(), values.data());
}

}  // namespace stowage::h5
