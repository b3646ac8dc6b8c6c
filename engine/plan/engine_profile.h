// SPDX-License-Identifier: GPL-3.0-or-later
// EngineProfile: how another serving engine is started and told what we call settings; profiles/engines says.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/units.h"

namespace pitwall {

/// Where an engine runs, as far as its defaults depend on it.
struct EnginePlace {
  std::string gpu;   ///< name of its profile; empty = not known
  Bytes memory = 0;  ///< of one GPU; 0 = not known
  int ranks = 1;     ///< of tensor parallelism, of all replicas that share the experts
  int replicas = 1;  ///< that share the experts
};

/// A default that holds on some GPUs: on those whose name begins alike, of at least that memory, with at
/// least so many ranks.
struct EngineDefault {
  std::vector<std::string> gpus;  ///< empty = any
  Bytes memory = 0;
  int ranks = 1;
  std::string value;  ///< in our words
  bool holds(const EnginePlace& place) const;
};

/// What an engine leaves of a GPU where it works its share out itself (SGLang).
struct EngineReserve {
  Bytes fixed = 0, of_token = 0, of_rank = 0, of_graph_row = 0;  ///< tokens: of a step
  Bytes of_replica_row = 0;  ///< of a captured row, for each of several replicas that share the experts …
  Bytes of_many_rows = 0;    ///< … on top where more than many_rows are captured
  std::int64_t many_rows = 0;
  std::int64_t least_tokens = 0;
  Bytes large_gpu = 0, least_on_large = 0;  ///< on GPUs above that memory never less
};

/// One way to tell one setting.
struct EngineFlag {
  std::vector<std::string> names;    ///< flags that take a value; the first is the one to write
  std::vector<std::string> on, off;  ///< switches for true and false
  std::string config;                ///< dotted path in the engine's own configuration file
  std::string environment;           ///< variable
  std::string key;                   ///< the flag takes a JSON object, and this member of it is meant
  std::vector<std::string> also;     ///< flags that get the same value
  std::vector<std::string> needs;    ///< words without which the flag has no effect
  std::vector<std::pair<std::string, std::vector<std::string>>> values;  ///< ours → theirs, first is written
  bool open = false;           ///< values that are not listed pass as they are
  bool human = false;          ///< numbers may end in k, K, m, M, g, G (vLLM: lower case decimal)
  bool words = false;          ///< a list takes one word a value
  bool whole = false;          ///< sizes in whole units only
  bool per_rank = false;       ///< ours is for all ranks together
  bool gone = false;           ///< of older versions: read, never written
  bool shared_slots = false;   ///< theirs is for all sequences together (llama.cpp's context)
  bool one_each = false;       ///< theirs is "1,1,…", one a GPU
  bool all_replicas = false;   ///< theirs is for all replicas together that share the experts
  bool deals_experts = false;  ///< other values than none deal whole experts out to all GPUs of a stage
  std::pair<std::string, std::string> with;  ///< of a setting: written and meant only beside that value
  std::int64_t step = 1, most = 0;           ///< numbers that can be told: multiples of it; most 0 = any
  bool powers = false;                       ///< powers of two alone
  double factor = 1;                         ///< of a share: ours is so much of theirs
  std::string factor_environment;            ///< variable that says another factor
  std::string unit;                          ///< of a size: "GiB", "GB", "MiB"; empty = bytes
  std::string default_value;                 ///< in our words; empty = none, or found out at the start
  std::vector<EngineDefault> defaults;       ///< by GPU, the first that holds comes before default_value
  std::optional<EngineReserve> reserve;      ///< of a share: its default is what this leaves
  std::string meaning;                       ///< where it is not ours
  std::string source;                        ///< file and line, at the profile's version
  bool verified = true;                      ///< false: from general knowledge, not read at that version
  const std::string& shown() const;          ///< for messages: the flag, path or variable
};

struct EngineSetting {
  std::string name;               ///< in engine_settings.h
  std::vector<EngineFlag> flags;  ///< first writes, all are read
};

/// What an engine refuses to start with: a setting beyond another, or no multiple of it.
struct EngineLimit {
  std::string setting, most;         ///< `setting` may not exceed what `most` says …
  bool below = false;                ///< … nor reach it
  bool multiple = false;             ///< … or has to be a multiple of it
  bool raises = false;               ///< `most` is what gives way
  std::string unless;                ///< a switch that lifts the limit: that is what gives way
  std::vector<std::string> derived;  ///< of the two, what the engine fits itself where it is not said
  std::string source;
};

/// A pool of their own for layers with windows or chunks, as the engine gives it to some families of models;
/// it holds those layers of other models at full length.
struct EngineWindowPool {
  std::vector<std::string> families;  ///< how their architectures begin
  double share = 1;                   ///< its tokens of those of the other layers' pool
  std::string source;
  bool holds(std::string_view architecture) const;
};

/// It starts with KV for less than one sequence of the whole length, and serves shorter ones.
struct EngineShortening {
  bool stated = false;     ///< also where the length was stated; else only its own choice gives way
  std::int64_t least = 1;  ///< tokens, below which it does not
  std::string source;
};

/// What a manifest needs of the engine's official image.
struct EngineContainer {
  std::string image, source;         ///< pinned tag, and where it is known from
  std::vector<std::string> command;  ///< behind the image; {model} stands for the model
  int port = 0;
  std::string health;              ///< path that answers 200 once requests are taken
  std::string cache;               ///< folder where weights from the hub are kept
  std::string token;               ///< variable with the hub's token
  std::vector<std::string> paths;  ///< flags that name files or folders which are read, also as name=path
};

struct EngineProfile {
  std::string name;   ///< "vllm"
  std::string title;  ///< "vLLM"
  std::vector<std::string> aliases;
  std::string version, source;
  std::vector<std::vector<std::string>> programs;  ///< words that start it, without python -m
  std::vector<std::string> images;                 ///< container images, a part of their names
  std::vector<std::string> command;                ///< {model} stands for the model
  std::vector<std::string> config_flags;           ///< flags that name a configuration file
  bool config_holds_flags = false;                 ///< its keys are the flags without dashes
  bool environment_is_flags = false;               ///< every flag is also a variable in capitals …
  std::string environment_prefix;                  ///< … behind these letters
  bool keywords = false;                           ///< a Python call instead of a command line
  bool study = false;                              ///< written to be read: not the first to name
  std::string kv_law;                              ///< of kv_law_name
  std::optional<EngineWindowPool> window_pool;
  std::optional<EngineShortening> shortens;
  std::vector<EngineSetting> settings;
  std::vector<EngineLimit> limits;                     ///< in the order in which they are kept
  std::vector<std::string> switches, valued, several;  ///< known flags without counterpart, by their values
  std::vector<std::pair<std::string, std::string>> unplanned;  ///< of those, what they change unseen
  std::optional<EngineContainer> container;

  std::vector<std::string> refused_weights;  ///< of find_weight_format; "gguf" is all formats of such files
  std::string model_length_holds;  ///< source: it starts with no longer sequences than the model was made for
  bool experts_are_needed = false;  ///< it does not start with expert-parallel where the model has none
  bool deals_layers = false;        ///< over all GPUs, unasked: stages without a word
  std::string model_files;          ///< ending of the files that it loads; empty = repositories and folders

  const EngineSetting* find(std::string_view setting) const;
  /// What it holds to when it is told nothing, in our words. Empty: none, found out at the start, or it
  /// depends on a GPU that is not known.
  std::string default_of(std::string_view setting, const EnginePlace& place) const;
};

/// The error names the engine and what is missing or not known.
Result<EngineProfile> parse_engine_profile(std::string_view json);

const std::vector<EngineProfile>& engine_profiles();  ///< the embedded ones

/// By name or alias, any case. The error lists the engines that exist.
Result<const EngineProfile*> find_engine(std::string_view name);

}  // namespace pitwall
