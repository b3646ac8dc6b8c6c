// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/grammar/tool_calls.h"

#include "engine/grammar/free_text.h"

namespace pitwall {

PartId add_tool_calls(GrammarBuilder& builder, const ToolCallForm& form, PartId call) {
  if (form.most_calls == 0) return form.required ? builder.nothing() : text_without(builder, form.trigger);
  const PartId begin = form.text_first ? text_up_to(builder, form.trigger) : builder.text(form.trigger);
  const PartId end = builder.text(form.end);
  const PartId next = builder.sequence({builder.text(form.between + form.trigger), call, end});
  const std::uint32_t more = form.most_calls == kUnlimited ? kUnlimited : form.most_calls - 1;
  const PartId calls = builder.sequence({begin, call, end, builder.repeat(next, 0, more)});
  return form.required ? calls : builder.choice({calls, text_without(builder, form.trigger)});
}

}  // namespace pitwall
