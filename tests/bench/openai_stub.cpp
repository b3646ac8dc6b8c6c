// SPDX-License-Identifier: GPL-3.0-or-later
// The stub server as a program, for trying clients by hand. Usage: openai_stub [port] [ms to the first chunk]
// [ms between chunks] [tokens a chunk]
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "tests/support/stub_server.h"

int main(int argc, char** argv) {
  const auto number = [&](int index, double otherwise) {
    return argc > index ? std::atof(argv[index]) : otherwise;
  };
  pitwall::test::StubAnswer answer;
  answer.first_ms = number(2, 50);
  answer.gap_ms = number(3, 20);
  answer.tokens_per_chunk = static_cast<int>(number(4, 1));
  pitwall::test::StubServer stub([answer](const pitwall::test::StubRequest&) { return answer; },
                                 static_cast<int>(number(1, 8000)));
  stub.keep_requests(false);
  std::printf("listening on %s\n", stub.url().c_str());
  std::fflush(stdout);
  pause();
}
