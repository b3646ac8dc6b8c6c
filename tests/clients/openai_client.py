# SPDX-License-Identifier: GPL-3.0-or-later
"""Drives a server with the official openai package, feature by feature.

Usage: openai_client.py http://127.0.0.1:PORT/v1 [--chat] [--key KEY]
--chat: the model has a chat template. Prints one line for each feature; the exit status is the number of
features that failed.
"""
import argparse
import json
import math
import re
import sys
import traceback

import openai

parser = argparse.ArgumentParser()
parser.add_argument("url")
parser.add_argument("--chat", action="store_true")
parser.add_argument("--key", default="none")
options = parser.parse_args()
client = openai.OpenAI(base_url=options.url, api_key=options.key, max_retries=0, timeout=120)
MODEL = client.models.list().data[0].id
USER = [{"role": "user", "content": "Say something about the sea."}]
FEATURES, CHAT_FEATURES = [], []


def feature(function):
    FEATURES.append(function)


def chat_feature(function):
    CHAT_FEATURES.append(function)


def complete(prompt="The sea is", **fields):
    fields = {"max_tokens": 12, "temperature": 0, **fields}
    return client.completions.create(model=MODEL, prompt=prompt, **fields)


def chat(**fields):
    fields = {"max_completion_tokens": 12, "temperature": 0, "messages": USER, **fields}
    return client.chat.completions.create(model=MODEL, **fields)


def refused(call, param, kind=openai.BadRequestError):
    try:
        call()
    except kind as error:
        assert error.body["param"] == param, error.body
        assert error.body["message"], error.body
        return error
    raise AssertionError(f"{param} was not refused")


@feature
def models():
    listed = client.models.list().data
    assert len(listed) == 1 and listed[0].object == "model", listed
    assert client.models.retrieve(MODEL).id == MODEL


@feature
def stream_equals_whole():
    whole = complete()
    pieces = list(complete(stream=True, stream_options={"include_usage": True}))
    assert "".join(c.choices[0].text for c in pieces if c.choices) == whole.choices[0].text
    assert pieces[-1].usage.total_tokens == whole.usage.total_tokens, (pieces[-1].usage, whole.usage)
    ends = [c.choices[0].finish_reason for c in pieces if c.choices and c.choices[0].finish_reason]
    assert ends == [whole.choices[0].finish_reason], ends


@feature
def continuous_usage():
    fields = {"include_usage": True, "continuous_usage_stats": True}
    pieces = list(complete(stream=True, stream_options=fields))
    counts = [c.usage.completion_tokens for c in pieces]
    assert counts == sorted(counts) and counts[-1] == 12, counts


@feature
def prompt_as_tokens_and_lists():
    both = complete(["The sea is", "The sky is"], echo=True)
    assert [c.index for c in both.choices] == [0, 1]
    assert both.choices[0].text.startswith("The sea is") and both.choices[1].text.startswith("The sky is")
    alone = complete("The sky is", echo=True)
    assert alone.choices[0].text == both.choices[1].text
    ids = complete([1, 2, 3], extra_body={"return_token_ids": True})
    assert ids.usage.prompt_tokens == 3


@feature
def several_choices():
    texts = set()
    for _ in range(5):
        reply = complete(n=3, temperature=1)
        assert sorted(c.index for c in reply.choices) == [0, 1, 2]
        assert reply.usage.completion_tokens <= 36
        texts.update(c.text for c in reply.choices)
    assert len(texts) > 1
    streamed = {0: "", 1: ""}
    for chunk in complete(n=2, temperature=1, seed=5, stream=True):
        for choice in chunk.choices:
            streamed[choice.index] += choice.text
    whole = complete(n=2, temperature=1, seed=5)
    assert [streamed[0], streamed[1]] == [c.text for c in whole.choices]
    refused(lambda: complete(n=0), "n")
    refused(lambda: complete(n=10**9), "n")
    refused(lambda: complete(n=2, best_of=3), "best_of")


@feature
def seeds():
    def again(seed):
        return complete(seed=seed, temperature=1, n=3).choices

    assert [c.text for c in again(-2)] == [c.text for c in again(-2)]
    assert complete(seed=7, temperature=1).choices[0].text == again(7)[0].text


@feature
def completion_logprobs():
    reply = complete(logprobs=5, echo=True, max_tokens=4)
    lists = reply.choices[0].logprobs
    count = reply.usage.prompt_tokens + reply.usage.completion_tokens
    assert len(lists.tokens) == len(lists.token_logprobs) == len(lists.text_offset) == count, (count, lists)
    assert lists.token_logprobs[0] is None and all(p <= 0 for p in lists.token_logprobs[1:])
    assert all(len(top) >= 5 for top in lists.top_logprobs[1:])
    greedy = lists.token_logprobs[-1]
    assert math.isclose(greedy, max(lists.top_logprobs[-1].values()))


@feature
def logit_bias():
    forced = complete(logit_bias={"11": 100}, max_tokens=5, extra_body={"return_token_ids": True})
    assert forced.choices[0].token_ids == [11] * 5, forced.choices[0].token_ids
    refused(lambda: complete(logit_bias={"99999999": 1}), "logit_bias")


@feature
def penalties():
    plain = complete(max_tokens=24, extra_body={"return_token_ids": True}).choices[0].token_ids
    fields = {"return_token_ids": True, "repetition_penalty": 2.0}
    other = complete(max_tokens=24, presence_penalty=2, frequency_penalty=2, extra_body=fields)
    assert len(set(other.choices[0].token_ids)) >= len(set(plain))
    refused(lambda: complete(presence_penalty=3), "presence_penalty")


@feature
def stops():
    text = complete(max_tokens=24).choices[0].text
    middle = text[len(text) // 2 : len(text) // 2 + 3]
    stopped = complete(max_tokens=24, stop=[middle])
    assert stopped.choices[0].text == text[: text.index(middle)]
    assert stopped.choices[0].finish_reason == "stop"
    refused(lambda: complete(stop=["a"] * 5), "stop")
    ids = complete(max_tokens=4, extra_body={"return_token_ids": True}).choices[0].token_ids
    cut = complete(max_tokens=4, extra_body={"return_token_ids": True, "stop_token_ids": [ids[1]]})
    assert cut.choices[0].token_ids == ids[:1], (ids, cut.choices[0].token_ids)
    longer = {"return_token_ids": True, "stop_token_ids": [ids[1]], "min_tokens": 3}
    kept = complete(max_tokens=4, extra_body=longer).choices[0].token_ids
    assert len(kept) >= 3 and ids[1] not in kept[:3], kept


@feature
def guided_completions():
    fields = {"structured_outputs": {"regex": "[0-9]{3}-[0-9]{2}"}}
    assert re.fullmatch("[0-9]{3}-[0-9]{2}", complete(extra_body=fields).choices[0].text)
    fields = {"structured_outputs": {"choice": ["red", "green"]}}
    assert complete(extra_body=fields, temperature=1).choices[0].text in ("red", "green")


@feature
def timings():
    reply = complete(extra_body={"timings": True})
    assert reply.timings["e2e_ms"] >= reply.timings["ttft_ms"] > 0, reply.timings


@feature
def wrong_requests():
    refused(lambda: complete(temperature=-1), "temperature")
    refused(lambda: complete(max_tokens=0), "max_tokens")
    try:
        client.completions.create(model="nope", prompt="x")
        raise AssertionError("an unknown model was served")
    except openai.NotFoundError as error:
        assert error.body["code"] == "model_not_found", error.body
    try:
        client.embeddings.create(model=MODEL, input="x")
        raise AssertionError("embeddings were served")
    except openai.APIStatusError as error:
        assert error.status_code in (400, 404, 501) and error.body["message"], error.body


@chat_feature
def chat_stream_equals_whole():
    whole = chat()
    assert whole.choices[0].message.role == "assistant"
    text = ""
    for chunk in chat(stream=True):
        if chunk.choices and chunk.choices[0].delta.content:
            text += chunk.choices[0].delta.content
    assert text == whole.choices[0].message.content


@chat_feature
def chat_parts_and_roles():
    parts = [{"role": "user", "content": [{"type": "text", "text": USER[0]["content"]}]}]
    assert chat(messages=parts).choices[0].message.content == chat().choices[0].message.content
    refused(lambda: chat(messages=[]), "messages")


@chat_feature
def chat_logprobs():
    reply = chat(logprobs=True, top_logprobs=3)
    content = reply.choices[0].logprobs.content
    assert len(content) == reply.usage.completion_tokens - (reply.choices[0].finish_reason == "stop")
    for token in content:
        assert token.logprob <= 0 and len(token.top_logprobs) == 3
    said = bytes(b for token in content for b in token.bytes).decode(errors="replace")
    assert said.strip() == reply.choices[0].message.content.strip(), (said, reply.choices[0].message.content)
    streamed = [t for c in chat(logprobs=True, top_logprobs=3, stream=True) if c.choices
                for t in (c.choices[0].logprobs.content if c.choices[0].logprobs else [])]
    assert [t.token for t in streamed] == [t.token for t in content]
    refused(lambda: chat(logprobs=True, top_logprobs=21), "top_logprobs")
    refused(lambda: chat(top_logprobs=2), "top_logprobs")


SCHEMA = {"type": "object", "additionalProperties": False, "required": ["city", "days"],
          "properties": {"city": {"type": "string", "maxLength": 8},
                         "days": {"type": "integer", "minimum": 1, "maximum": 9}}}


@chat_feature
def json_schema():
    wanted = {"type": "json_schema", "json_schema": {"name": "trip", "strict": True, "schema": SCHEMA}}
    for temperature in (0, 1):
        reply = chat(response_format=wanted, temperature=temperature, max_completion_tokens=200)
        value = json.loads(reply.choices[0].message.content)
        assert set(value) == {"city", "days"} and 1 <= value["days"] <= 9, value
        assert reply.choices[0].finish_reason == "stop"
    wrong = {"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "wrong"}}}
    refused(lambda: chat(response_format=wrong), "response_format")


@chat_feature
def json_object():
    reply = chat(response_format={"type": "json_object"}, max_completion_tokens=400, temperature=1, seed=3)
    if reply.choices[0].finish_reason == "stop":
        assert isinstance(json.loads(reply.choices[0].message.content), dict)


TOOLS = [{"type": "function", "function": {"name": "plan_trip", "description": "Plans a trip", "parameters": SCHEMA}},
         {"type": "function", "function": {"name": "nothing", "parameters": {"type": "object", "properties": {},
                                                                              "additionalProperties": False}}}]


@chat_feature
def tools():
    named = {"type": "function", "function": {"name": "plan_trip"}}
    reply = chat(tools=TOOLS, tool_choice=named, max_completion_tokens=200)
    call = reply.choices[0].message.tool_calls[0]
    assert call.function.name == "plan_trip" and call.id, call
    assert set(json.loads(call.function.arguments)) == {"city", "days"}
    reply = chat(tools=TOOLS, tool_choice="required", parallel_tool_calls=False, max_completion_tokens=200, temperature=1)
    assert reply.choices[0].finish_reason == "tool_calls", reply.choices[0]
    assert reply.choices[0].message.tool_calls[0].function.name in ("plan_trip", "nothing")
    pieces, name = [], None
    for chunk in chat(tools=TOOLS, tool_choice=named, max_completion_tokens=200, stream=True):
        for call in (chunk.choices[0].delta.tool_calls or []) if chunk.choices else []:
            name = call.function.name or name
            pieces += [call.function.arguments] if call.function.arguments else []
    assert name == "plan_trip" and set(json.loads("".join(pieces))) == {"city", "days"}
    assert len(pieces) > 1, pieces  # as they come
    answered = USER + [{"role": "assistant", "content": None, "tool_calls": [{"id": "call_1", "type": "function",
                        "function": {"name": "plan_trip", "arguments": "{\"city\": \"Rome\", \"days\": 2}"}}]},
                       {"role": "tool", "tool_call_id": "call_1", "content": "done"}]
    assert chat(tools=TOOLS, messages=answered).choices[0].message.role == "assistant"
    assert chat(tools=TOOLS, tool_choice="none").choices[0].message.tool_calls is None
    other = {"type": "function", "function": {"name": "unknown"}}
    refused(lambda: chat(tools=TOOLS, tool_choice=other), "tool_choice")


failed = 0
for check in FEATURES + (CHAT_FEATURES if options.chat else []):
    try:
        check()
        print("ok     ", check.__name__)
    except Exception:  # each feature on its own
        failed += 1
        print("FAILED ", check.__name__)
        traceback.print_exc(file=sys.stdout)
sys.exit(failed)
