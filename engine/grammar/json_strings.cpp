// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/grammar/json_strings.h"

#include <cassert>

namespace pitwall {

namespace {

std::vector<ByteEdge> hex_to(ByteState to) {
  return {{'0', '9', to}, {'A', 'F', to}, {'a', 'f', to}};
}

}  // namespace

void add_json_string(ByteAutomaton& automaton) {
  assert(automaton.size() == 0);
  automaton.add({}, true);
  const ByteState body = automaton.reserve();
  automaton.add({{'"', '"', body}}, false);

  // Characters of more than one byte: how many continuation bytes are left, and the narrower second bytes.
  const ByteState one = automaton.add({{0x80, 0xBF, body}}, false);
  const ByteState two = automaton.add({{0x80, 0xBF, one}}, false);
  const ByteState three = automaton.add({{0x80, 0xBF, two}}, false);
  const ByteState after_e0 = automaton.add({{0xA0, 0xBF, one}}, false);
  const ByteState after_ed = automaton.add({{0x80, 0x9F, one}}, false);
  const ByteState after_f0 = automaton.add({{0x90, 0xBF, two}}, false);
  const ByteState after_f4 = automaton.add({{0x80, 0x8F, two}}, false);

  // Escapes; a high surrogate (D800 … DBFF) asks for a low one (DC00 … DFFF), which cannot stand alone.
  const ByteState hex1 = automaton.add(hex_to(body), false);
  const ByteState hex2 = automaton.add(hex_to(hex1), false);
  const ByteState hex3 = automaton.add(hex_to(hex2), false);
  const ByteState low_d = automaton.add({{'C', 'F', hex2}, {'c', 'f', hex2}}, false);
  const ByteState low_u = automaton.add({{'D', 'D', low_d}, {'d', 'd', low_d}}, false);
  const ByteState low_escape = automaton.add({{'u', 'u', low_u}}, false);
  const ByteState low = automaton.add({{'\\', '\\', low_escape}}, false);
  const ByteState high1 = automaton.add(hex_to(low), false);
  const ByteState high2 = automaton.add(hex_to(high1), false);
  const ByteState after_d =
      automaton.add({{'0', '7', hex2}, {'8', '9', high2}, {'A', 'B', high2}, {'a', 'b', high2}}, false);
  const ByteState code = automaton.add({{'0', '9', hex3},
                                        {'A', 'C', hex3},
                                        {'D', 'D', after_d},
                                        {'E', 'F', hex3},
                                        {'a', 'c', hex3},
                                        {'d', 'd', after_d},
                                        {'e', 'f', hex3}},
                                       false);
  const ByteState escape = automaton.add({{'"', '"', body},
                                          {'/', '/', body},
                                          {'\\', '\\', body},
                                          {'b', 'b', body},
                                          {'f', 'f', body},
                                          {'n', 'n', body},
                                          {'r', 'r', body},
                                          {'t', 't', body},
                                          {'u', 'u', code}},
                                         false);
  automaton.define(body,
                   {{0x20, 0x21, body},
                    {'"', '"', kEndState},
                    {0x23, 0x5B, body},
                    {'\\', '\\', escape},
                    {0x5D, 0x7F, body},
                    {0xC2, 0xDF, one},
                    {0xE0, 0xE0, after_e0},
                    {0xE1, 0xEC, two},
                    {0xED, 0xED, after_ed},
                    {0xEE, 0xEF, two},
                    {0xF0, 0xF0, after_f0},
                    {0xF1, 0xF3, three},
                    {0xF4, 0xF4, after_f4}},
                   false);
  assert(automaton.size() == kStringStates);
}

}  // namespace pitwall
