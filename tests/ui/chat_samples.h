// SPDX-License-Identifier: GPL-3.0-or-later
// Messages and records that the tests of the chat page share.
#pragma once
#include "engine/store/store.h"
#include "ui/chat/message_state.h"

namespace pitwall::test {

inline constexpr char kReply[] =
    R"(It is the engine. Step *24,271* takes `318 ms`, see [the log](https://example.org/log).

# What to change

Let long prompts enter in slices <b>not bold</b> &amp; so on.

```shell
pitwallctl serve \

  --max-num-seqs 32
```

| Slice | Longest step |
|---|--:|
| off | 318 ms |
| **512** | 31 ms |

1. First
2. Second
   - nested ![a picture](file:///etc/hostname)

> A quote of two
> lines.

---
~~~
no language
~~~
End.
)";

inline ChatMessage message(const char* role, const char* text, const char* state = ui::kComplete) {
  ChatMessage m;
  m.role = role;
  m.content = text;
  m.state = state;
  m.model = "tiny";
  m.created_utc = 1'785'000'000 * kNanosPerSecond;
  return m;
}

inline RequestRecord record() {
  RequestRecord r;
  r.id = {7};
  r.label = "chat-2";
  r.arrival_utc = 1'785'000'000 * kNanosPerSecond;
  r.arrival = 1'000 * kNanosPerMs;
  r.scheduled = 1'002 * kNanosPerMs;
  r.first_token = 1'048 * kNanosPerMs;
  r.last_token = 1'148 * kNanosPerMs;
  r.finished = r.last_token;
  r.prompt_tokens = 1'468;
  r.output_tokens = 21;
  r.max_itl = 9 * kNanosPerMs;
  r.finish = FinishReason::length;
  return r;
}

}  // namespace pitwall::test
