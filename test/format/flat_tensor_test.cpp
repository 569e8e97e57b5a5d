// .ptd files: what the data map gives, and what it refuses.
#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/extension/flat_tensor/flat_tensor_data_map.h>
#include <executorch/extension/named_data_map/merged_data_map.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "test/support/program_model.h"

namespace executorch::test {
namespace {

using extension::BufferDataLoader;
using extension::FlatTensorDataMap;
using extension::FlatTensorHeader;
using extension::merged_data_map::MergedDataMap;
using runtime::Error;
using runtime::NamedDataMap;
using runtime::Span;

NamedTensorModel tensor(const char* name, std::vector<int32_t> sizes,
                        const std::vector<float>& data) {
  NamedTensorModel model;
  model.name = name;
  model.tensor.sizes = std::move(sizes);
  model.data = bytes_of(data);
  return model;
}

std::vector<NamedTensorModel> sound_file() {
  std::vector<NamedTensorModel> file = {tensor("a", {2, 2}, {1, 2, 3, 4}),
                                        tensor("b", {1}, {5})};
  file.push_back(tensor("blob", {}, {6, 7}));
  file.back().is_tensor = false;
  return file;
}

Error load(FileBytes file) {
  BufferDataLoader loader(file.data(), file.size());
  return FlatTensorDataMap::load(&loader).error();
}

TEST(FlatTensor, GivesDataByName) {
  FileBytes file = write_flat_tensor(sound_file());
  BufferDataLoader loader(file.data(), file.size());
  auto map = FlatTensorDataMap::load(&loader);
  ASSERT_TRUE(map.ok());
  EXPECT_EQ(map->get_num_keys().get(), 3u);
  EXPECT_STREQ(map->get_key(1).get(), "b");
  EXPECT_EQ(map->get_key(3).error(), Error::InvalidArgument);
  const auto layout = map->get_tensor_layout("a");
  ASSERT_TRUE(layout.ok());
  EXPECT_EQ(layout->nbytes(), 16u);
  EXPECT_EQ(layout->sizes().size(), 2u);
  const auto data = map->get_data("a");
  ASSERT_TRUE(data.ok());
  EXPECT_EQ(static_cast<const float*>(data->data())[3], 4.0f);
  float b = 0;
  EXPECT_EQ(map->load_data_into("b", &b, 4), Error::Ok);
  EXPECT_EQ(b, 5.0f);
  EXPECT_EQ(map->load_data_into("b", &b, 5), Error::InvalidArgument);
  EXPECT_EQ(map->load_data_into("b", nullptr, 4), Error::InvalidArgument);
  EXPECT_EQ(map->get_data("blob")->size(), 8u);
  EXPECT_EQ(map->get_tensor_layout("blob").error(), Error::InvalidExternalData);
  EXPECT_EQ(map->get_data("c").error(), Error::NotFound);
  EXPECT_EQ(map->get_tensor_layout("c").error(), Error::NotFound);
}

TEST(FlatTensor, RefusesTensorsThatCannotBe) {
  const auto damaged = [](auto&& damage) {
    std::vector<NamedTensorModel> file = sound_file();
    damage(file[0]);
    return load(write_flat_tensor(file));
  };
  EXPECT_EQ(damaged([](auto&) {}), Error::Ok);
  EXPECT_EQ(damaged([](auto& t) { t.tensor.dtype = 99; }),
            Error::InvalidExternalData);
  EXPECT_EQ(damaged([](auto& t) {
              t.tensor.sizes = {2, -2};
            }),
            Error::InvalidExternalData);
  EXPECT_EQ(damaged([](auto& t) {
              t.tensor.dim_order = {0, 0};
            }),
            Error::InvalidExternalData);
  EXPECT_EQ(damaged([](auto& t) { t.tensor.sizes = {5}; }),
            Error::InvalidExternalData);
}

TEST(FlatTensor, SurvivesEveryDamagedWord) {
  const FileBytes sound = write_flat_tensor(sound_file());
  for (const uint32_t word : {0u, 1u, 0x7fffffffu, 0x80000000u, 0xffffffffu}) {
    for (size_t at = 0; at + 4 <= sound.size(); at += 4) {
      FileBytes file = sound;
      std::memcpy(file.data() + at, &word, sizeof(word));
      (void)load(std::move(file));
    }
  }
  for (size_t size = 0; size + 16 < sound.size(); size += 4) {
    FileBytes file = sound;
    BufferDataLoader loader(file.data(), size);
    EXPECT_EQ(FlatTensorDataMap::load(&loader).error(),
              Error::InvalidExternalData)
        << size;
  }
}

TEST(FlatTensorHeader, SaysWhereThePartsAre) {
  FileBytes file = write_flat_tensor(sound_file());
  const auto header =
      FlatTensorHeader::Parse(file.data(), FlatTensorHeader::kNumHeadBytes);
  ASSERT_TRUE(header.ok());
  EXPECT_EQ(header->flatbuffer_offset, 48u);
  EXPECT_EQ(header->segment_base_offset + header->segment_data_size,
            file.size());
  EXPECT_EQ(FlatTensorHeader::Parse(file.data(), 63).error(),
            Error::InvalidArgument);
  EXPECT_EQ(FlatTensorHeader::Parse(nullptr, 64).error(),
            Error::InvalidArgument);
  file.data()[8] = 'X';
  EXPECT_EQ(FlatTensorHeader::Parse(file.data(), 64).error(), Error::NotFound);
}

TEST(MergedDataMap, HandsNamesToTheirMaps) {
  FileBytes first_file = write_flat_tensor({tensor("a", {1}, {1})});
  FileBytes second_file = write_flat_tensor({tensor("b", {1}, {2})});
  BufferDataLoader first_loader(first_file.data(), first_file.size());
  BufferDataLoader second_loader(second_file.data(), second_file.size());
  auto first = FlatTensorDataMap::load(&first_loader);
  auto second = FlatTensorDataMap::load(&second_loader);
  ASSERT_TRUE(first.ok() && second.ok());
  const NamedDataMap* maps[] = {&*first, &*second, &*first};
  auto merged = MergedDataMap::load(Span<const NamedDataMap*>(maps, 2));
  ASSERT_TRUE(merged.ok());
  EXPECT_EQ(merged->get_num_keys().get(), 2u);
  EXPECT_STREQ(merged->get_key(1).get(), "b");
  EXPECT_EQ(merged->get_key(2).error(), Error::InvalidArgument);
  EXPECT_EQ(*static_cast<const float*>(merged->get_data("b")->data()), 2.0f);
  EXPECT_TRUE(merged->get_tensor_layout("a").ok());
  float a = 0;
  EXPECT_EQ(merged->load_data_into("a", &a, 4), Error::Ok);
  EXPECT_EQ(a, 1.0f);
  EXPECT_EQ(merged->get_data("c").error(), Error::NotFound);
  EXPECT_EQ(MergedDataMap::load(Span<const NamedDataMap*>(maps, 3)).error(),
            Error::InvalidArgument);
  EXPECT_EQ(MergedDataMap::load({}).error(), Error::InvalidArgument);
  maps[1] = nullptr;
  EXPECT_EQ(MergedDataMap::load(Span<const NamedDataMap*>(maps, 2)).error(),
            Error::InvalidArgument);
}

}  // namespace
}  // namespace executorch::test
