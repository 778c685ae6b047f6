// SPDX-License-Identifier: Apache-2.0
// Names inside checkpoint files; docs/checkpoint.md describes them.
#pragma once

#include <cstdint>
#include <string>

namespace stowage::checkpoint::schema {

inline const std::string kFormat = "stowage-checkpoint";
inline constexpr std::uint64_t kVersion = 1;

// Attributes of the root group.
inline const std::string kFormatAttribute = "format";
inline const std::string kVersionAttribute = "version";
inline const std::string kKind = "kind";
inline const std::string kGeneration = "generation";
inline const std::string kContent = "content";
inline const std::string kParentGeneration = "parent_generation";
inline const std::string kParentContent = "parent_content";
inline const std::string kStep = "step";
inline const std::string kPosition = "position";
inline const std::string kPlans = "plans";

inline const std::string kSettings = "/settings";  // a text table: key, value

inline const std::string kSources = "/sources";
inline const std::string kSourceNames = "/sources/name";  // a text table of one column
inline const std::string kSourceSequences = "/sources/sequences";
inline const std::string kSourceTokens = "/sources/tokens";
inline const std::string kSourceIndexHigh = "/sources/index_high";
inline const std::string kSourceIndexLow = "/sources/index_low";

inline const std::string kFiles = "/files";
inline const std::string kFilePaths = "/files/path";  // a text table of one column
inline const std::string kFileSources = "/files/source";
inline const std::string kFileBytes = "/files/bytes";
inline const std::string kFileModified = "/files/modified_ns";

inline const std::string kChanges = "/changes";
inline const std::string kChangedSources = "/changes/source";

inline const std::string kDeferred = "/deferred";
inline const std::string kDeferredPosition = "/deferred/position";
inline const std::string kDeferredSource = "/deferred/source";
inline const std::string kDeferredSequence = "/deferred/sequence";
inline const std::string kDeferredEpoch = "/deferred/epoch";
inline const std::string kDeferredWaited = "/deferred/waited";

inline const std::string kInputs = "/inputs";
inline const std::string kInputSteps = "/inputs/step";
inline const std::string kInputTexts = "/inputs/text";  // a text table: kind, text

}  // namespace stowage::checkpoint::schema
