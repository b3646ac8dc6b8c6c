// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/template_case.h"

#include <algorithm>

#include "engine/text/unicode_text.h"
#include "engine/text/utf8.h"

namespace pitwall::jinja {

namespace {

/// Characters `first` to `last`: the first becomes `image`; of a range, the others follow in step.
struct CaseRange {
  char32_t first, last;
  std::u32string_view image;
};

// Where the Unicode Character Database 14.0 (UnicodeData, SpecialCasing, CaseFolding) says something else
// than the mapping of one character to its other case, as Python 3.11 reads it. kTitle: what is not the upper
// case; kFolded: what is not the lower case.

constexpr CaseRange kUpper[] = {
    {0xb5, 0xb5, U"\u039c"},
    {0xdf, 0xdf, U"SS"},
    {0x131, 0x131, U"I"},
    {0x149, 0x149, U"\u02bcN"},
    {0x17f, 0x17f, U"S"},
    {0x1c5, 0x1c5, U"\u01c4"},
    {0x1c8, 0x1c8, U"\u01c7"},
    {0x1cb, 0x1cb, U"\u01ca"},
    {0x1f0, 0x1f0, U"J\u030c"},
    {0x1f2, 0x1f2, U"\u01f1"},
    {0x345, 0x345, U"\u0399"},
    {0x390, 0x390, U"\u0399\u0308\u0301"},
    {0x3b0, 0x3b0, U"\u03a5\u0308\u0301"},
    {0x3b9, 0x3b9, U"\u0399"},
    {0x3bc, 0x3bc, U"\u039c"},
    {0x3c2, 0x3c2, U"\u03a3"},
    {0x3d0, 0x3d0, U"\u0392"},
    {0x3d1, 0x3d1, U"\u0398"},
    {0x3d5, 0x3d5, U"\u03a6"},
    {0x3d6, 0x3d6, U"\u03a0"},
    {0x3f0, 0x3f0, U"\u039a"},
    {0x3f1, 0x3f1, U"\u03a1"},
    {0x3f5, 0x3f5, U"\u0395"},
    {0x587, 0x587, U"\u0535\u0552"},
    {0x1c80, 0x1c80, U"\u0412"},
    {0x1c81, 0x1c81, U"\u0414"},
    {0x1c82, 0x1c82, U"\u041e"},
    {0x1c83, 0x1c84, U"\u0421"},
    {0x1c85, 0x1c85, U"\u0422"},
    {0x1c86, 0x1c86, U"\u042a"},
    {0x1c87, 0x1c87, U"\u0462"},
    {0x1c88, 0x1c88, U"\ua64a"},
    {0x1e96, 0x1e96, U"H\u0331"},
    {0x1e97, 0x1e97, U"T\u0308"},
    {0x1e98, 0x1e98, U"W\u030a"},
    {0x1e99, 0x1e99, U"Y\u030a"},
    {0x1e9a, 0x1e9a, U"A\u02be"},
    {0x1e9b, 0x1e9b, U"\u1e60"},
    {0x1f50, 0x1f50, U"\u03a5\u0313"},
    {0x1f52, 0x1f52, U"\u03a5\u0313\u0300"},
    {0x1f54, 0x1f54, U"\u03a5\u0313\u0301"},
    {0x1f56, 0x1f56, U"\u03a5\u0313\u0342"},
    {0x1f80, 0x1f80, U"\u1f08\u0399"},
    {0x1f81, 0x1f81, U"\u1f09\u0399"},
    {0x1f82, 0x1f82, U"\u1f0a\u0399"},
    {0x1f83, 0x1f83, U"\u1f0b\u0399"},
    {0x1f84, 0x1f84, U"\u1f0c\u0399"},
    {0x1f85, 0x1f85, U"\u1f0d\u0399"},
    {0x1f86, 0x1f86, U"\u1f0e\u0399"},
    {0x1f87, 0x1f87, U"\u1f0f\u0399"},
    {0x1f88, 0x1f88, U"\u1f08\u0399"},
    {0x1f89, 0x1f89, U"\u1f09\u0399"},
    {0x1f8a, 0x1f8a, U"\u1f0a\u0399"},
    {0x1f8b, 0x1f8b, U"\u1f0b\u0399"},
    {0x1f8c, 0x1f8c, U"\u1f0c\u0399"},
    {0x1f8d, 0x1f8d, U"\u1f0d\u0399"},
    {0x1f8e, 0x1f8e, U"\u1f0e\u0399"},
    {0x1f8f, 0x1f8f, U"\u1f0f\u0399"},
    {0x1f90, 0x1f90, U"\u1f28\u0399"},
    {0x1f91, 0x1f91, U"\u1f29\u0399"},
    {0x1f92, 0x1f92, U"\u1f2a\u0399"},
    {0x1f93, 0x1f93, U"\u1f2b\u0399"},
    {0x1f94, 0x1f94, U"\u1f2c\u0399"},
    {0x1f95, 0x1f95, U"\u1f2d\u0399"},
    {0x1f96, 0x1f96, U"\u1f2e\u0399"},
    {0x1f97, 0x1f97, U"\u1f2f\u0399"},
    {0x1f98, 0x1f98, U"\u1f28\u0399"},
    {0x1f99, 0x1f99, U"\u1f29\u0399"},
    {0x1f9a, 0x1f9a, U"\u1f2a\u0399"},
    {0x1f9b, 0x1f9b, U"\u1f2b\u0399"},
    {0x1f9c, 0x1f9c, U"\u1f2c\u0399"},
    {0x1f9d, 0x1f9d, U"\u1f2d\u0399"},
    {0x1f9e, 0x1f9e, U"\u1f2e\u0399"},
    {0x1f9f, 0x1f9f, U"\u1f2f\u0399"},
    {0x1fa0, 0x1fa0, U"\u1f68\u0399"},
    {0x1fa1, 0x1fa1, U"\u1f69\u0399"},
    {0x1fa2, 0x1fa2, U"\u1f6a\u0399"},
    {0x1fa3, 0x1fa3, U"\u1f6b\u0399"},
    {0x1fa4, 0x1fa4, U"\u1f6c\u0399"},
    {0x1fa5, 0x1fa5, U"\u1f6d\u0399"},
    {0x1fa6, 0x1fa6, U"\u1f6e\u0399"},
    {0x1fa7, 0x1fa7, U"\u1f6f\u0399"},
    {0x1fa8, 0x1fa8, U"\u1f68\u0399"},
    {0x1fa9, 0x1fa9, U"\u1f69\u0399"},
    {0x1faa, 0x1faa, U"\u1f6a\u0399"},
    {0x1fab, 0x1fab, U"\u1f6b\u0399"},
    {0x1fac, 0x1fac, U"\u1f6c\u0399"},
    {0x1fad, 0x1fad, U"\u1f6d\u0399"},
    {0x1fae, 0x1fae, U"\u1f6e\u0399"},
    {0x1faf, 0x1faf, U"\u1f6f\u0399"},
    {0x1fb2, 0x1fb2, U"\u1fba\u0399"},
    {0x1fb3, 0x1fb3, U"\u0391\u0399"},
    {0x1fb4, 0x1fb4, U"\u0386\u0399"},
    {0x1fb6, 0x1fb6, U"\u0391\u0342"},
    {0x1fb7, 0x1fb7, U"\u0391\u0342\u0399"},
    {0x1fbc, 0x1fbc, U"\u0391\u0399"},
    {0x1fbe, 0x1fbe, U"\u0399"},
    {0x1fc2, 0x1fc2, U"\u1fca\u0399"},
    {0x1fc3, 0x1fc3, U"\u0397\u0399"},
    {0x1fc4, 0x1fc4, U"\u0389\u0399"},
    {0x1fc6, 0x1fc6, U"\u0397\u0342"},
    {0x1fc7, 0x1fc7, U"\u0397\u0342\u0399"},
    {0x1fcc, 0x1fcc, U"\u0397\u0399"},
    {0x1fd2, 0x1fd2, U"\u0399\u0308\u0300"},
    {0x1fd3, 0x1fd3, U"\u0399\u0308\u0301"},
    {0x1fd6, 0x1fd6, U"\u0399\u0342"},
    {0x1fd7, 0x1fd7, U"\u0399\u0308\u0342"},
    {0x1fe2, 0x1fe2, U"\u03a5\u0308\u0300"},
    {0x1fe3, 0x1fe3, U"\u03a5\u0308\u0301"},
    {0x1fe4, 0x1fe4, U"\u03a1\u0313"},
    {0x1fe6, 0x1fe6, U"\u03a5\u0342"},
    {0x1fe7, 0x1fe7, U"\u03a5\u0308\u0342"},
    {0x1ff2, 0x1ff2, U"\u1ffa\u0399"},
    {0x1ff3, 0x1ff3, U"\u03a9\u0399"},
    {0x1ff4, 0x1ff4, U"\u038f\u0399"},
    {0x1ff6, 0x1ff6, U"\u03a9\u0342"},
    {0x1ff7, 0x1ff7, U"\u03a9\u0342\u0399"},
    {0x1ffc, 0x1ffc, U"\u03a9\u0399"},
    {0x2170, 0x217f, U"\u2160"},
    {0x24d0, 0x24e9, U"\u24b6"},
    {0xa64b, 0xa64b, U"\ua64a"},
    {0xfb00, 0xfb00, U"FF"},
    {0xfb01, 0xfb01, U"FI"},
    {0xfb02, 0xfb02, U"FL"},
    {0xfb03, 0xfb03, U"FFI"},
    {0xfb04, 0xfb04, U"FFL"},
    {0xfb05, 0xfb05, U"ST"},
    {0xfb06, 0xfb06, U"ST"},
    {0xfb13, 0xfb13, U"\u0544\u0546"},
    {0xfb14, 0xfb14, U"\u0544\u0535"},
    {0xfb15, 0xfb15, U"\u0544\u053b"},
    {0xfb16, 0xfb16, U"\u054e\u0546"},
    {0xfb17, 0xfb17, U"\u0544\u053d"},
};
constexpr CaseRange kLower[] = {
    {0x130, 0x130, U"i\u0307"},
    {0x2160, 0x216f, U"\u2170"},
    {0x24b6, 0x24cf, U"\u24d0"},
};
constexpr CaseRange kTitle[] = {
    {0xdf, 0xdf, U"Ss"},
    {0x1c4, 0x1c4, U"\u01c5"},
    {0x1c5, 0x1c5, U"\u01c5"},
    {0x1c6, 0x1c6, U"\u01c5"},
    {0x1c7, 0x1c7, U"\u01c8"},
    {0x1c8, 0x1c8, U"\u01c8"},
    {0x1c9, 0x1c9, U"\u01c8"},
    {0x1ca, 0x1ca, U"\u01cb"},
    {0x1cb, 0x1cb, U"\u01cb"},
    {0x1cc, 0x1cc, U"\u01cb"},
    {0x1f1, 0x1f1, U"\u01f2"},
    {0x1f2, 0x1f2, U"\u01f2"},
    {0x1f3, 0x1f3, U"\u01f2"},
    {0x587, 0x587, U"\u0535\u0582"},
    {0x10d0, 0x10fa, U"\u10d0"},
    {0x10fd, 0x10ff, U"\u10fd"},
    {0x1f80, 0x1f87, U"\u1f88"},
    {0x1f88, 0x1f8f, U"\u1f88"},
    {0x1f90, 0x1f97, U"\u1f98"},
    {0x1f98, 0x1f9f, U"\u1f98"},
    {0x1fa0, 0x1fa7, U"\u1fa8"},
    {0x1fa8, 0x1faf, U"\u1fa8"},
    {0x1fb2, 0x1fb2, U"\u1fba\u0345"},
    {0x1fb3, 0x1fb3, U"\u1fbc"},
    {0x1fb4, 0x1fb4, U"\u0386\u0345"},
    {0x1fb7, 0x1fb7, U"\u0391\u0342\u0345"},
    {0x1fbc, 0x1fbc, U"\u1fbc"},
    {0x1fc2, 0x1fc2, U"\u1fca\u0345"},
    {0x1fc3, 0x1fc3, U"\u1fcc"},
    {0x1fc4, 0x1fc4, U"\u0389\u0345"},
    {0x1fc7, 0x1fc7, U"\u0397\u0342\u0345"},
    {0x1fcc, 0x1fcc, U"\u1fcc"},
    {0x1ff2, 0x1ff2, U"\u1ffa\u0345"},
    {0x1ff3, 0x1ff3, U"\u1ffc"},
    {0x1ff4, 0x1ff4, U"\u038f\u0345"},
    {0x1ff7, 0x1ff7, U"\u03a9\u0342\u0345"},
    {0x1ffc, 0x1ffc, U"\u1ffc"},
    {0xfb00, 0xfb00, U"Ff"},
    {0xfb01, 0xfb01, U"Fi"},
    {0xfb02, 0xfb02, U"Fl"},
    {0xfb03, 0xfb03, U"Ffi"},
    {0xfb04, 0xfb04, U"Ffl"},
    {0xfb05, 0xfb05, U"St"},
    {0xfb06, 0xfb06, U"St"},
    {0xfb13, 0xfb13, U"\u0544\u0576"},
    {0xfb14, 0xfb14, U"\u0544\u0565"},
    {0xfb15, 0xfb15, U"\u0544\u056b"},
    {0xfb16, 0xfb16, U"\u054e\u0576"},
    {0xfb17, 0xfb17, U"\u0544\u056d"},
};
constexpr CaseRange kFolded[] = {
    {0xb5, 0xb5, U"\u03bc"},
    {0xdf, 0xdf, U"ss"},
    {0x149, 0x149, U"\u02bcn"},
    {0x17f, 0x17f, U"s"},
    {0x1f0, 0x1f0, U"j\u030c"},
    {0x345, 0x345, U"\u03b9"},
    {0x390, 0x390, U"\u03b9\u0308\u0301"},
    {0x3b0, 0x3b0, U"\u03c5\u0308\u0301"},
    {0x3c2, 0x3c2, U"\u03c3"},
    {0x3d0, 0x3d0, U"\u03b2"},
    {0x3d1, 0x3d1, U"\u03b8"},
    {0x3d5, 0x3d5, U"\u03c6"},
    {0x3d6, 0x3d6, U"\u03c0"},
    {0x3f0, 0x3f0, U"\u03ba"},
    {0x3f1, 0x3f1, U"\u03c1"},
    {0x3f5, 0x3f5, U"\u03b5"},
    {0x587, 0x587, U"\u0565\u0582"},
    {0x13a0, 0x13f5, U"\u13a0"},
    {0x13f8, 0x13fd, U"\u13f0"},
    {0x1c80, 0x1c80, U"\u0432"},
    {0x1c81, 0x1c81, U"\u0434"},
    {0x1c82, 0x1c82, U"\u043e"},
    {0x1c83, 0x1c84, U"\u0441"},
    {0x1c85, 0x1c85, U"\u0442"},
    {0x1c86, 0x1c86, U"\u044a"},
    {0x1c87, 0x1c87, U"\u0463"},
    {0x1c88, 0x1c88, U"\ua64b"},
    {0x1e96, 0x1e96, U"h\u0331"},
    {0x1e97, 0x1e97, U"t\u0308"},
    {0x1e98, 0x1e98, U"w\u030a"},
    {0x1e99, 0x1e99, U"y\u030a"},
    {0x1e9a, 0x1e9a, U"a\u02be"},
    {0x1e9b, 0x1e9b, U"\u1e61"},
    {0x1e9e, 0x1e9e, U"ss"},
    {0x1f50, 0x1f50, U"\u03c5\u0313"},
    {0x1f52, 0x1f52, U"\u03c5\u0313\u0300"},
    {0x1f54, 0x1f54, U"\u03c5\u0313\u0301"},
    {0x1f56, 0x1f56, U"\u03c5\u0313\u0342"},
    {0x1f80, 0x1f80, U"\u1f00\u03b9"},
    {0x1f81, 0x1f81, U"\u1f01\u03b9"},
    {0x1f82, 0x1f82, U"\u1f02\u03b9"},
    {0x1f83, 0x1f83, U"\u1f03\u03b9"},
    {0x1f84, 0x1f84, U"\u1f04\u03b9"},
    {0x1f85, 0x1f85, U"\u1f05\u03b9"},
    {0x1f86, 0x1f86, U"\u1f06\u03b9"},
    {0x1f87, 0x1f87, U"\u1f07\u03b9"},
    {0x1f88, 0x1f88, U"\u1f00\u03b9"},
    {0x1f89, 0x1f89, U"\u1f01\u03b9"},
    {0x1f8a, 0x1f8a, U"\u1f02\u03b9"},
    {0x1f8b, 0x1f8b, U"\u1f03\u03b9"},
    {0x1f8c, 0x1f8c, U"\u1f04\u03b9"},
    {0x1f8d, 0x1f8d, U"\u1f05\u03b9"},
    {0x1f8e, 0x1f8e, U"\u1f06\u03b9"},
    {0x1f8f, 0x1f8f, U"\u1f07\u03b9"},
    {0x1f90, 0x1f90, U"\u1f20\u03b9"},
    {0x1f91, 0x1f91, U"\u1f21\u03b9"},
    {0x1f92, 0x1f92, U"\u1f22\u03b9"},
    {0x1f93, 0x1f93, U"\u1f23\u03b9"},
    {0x1f94, 0x1f94, U"\u1f24\u03b9"},
    {0x1f95, 0x1f95, U"\u1f25\u03b9"},
    {0x1f96, 0x1f96, U"\u1f26\u03b9"},
    {0x1f97, 0x1f97, U"\u1f27\u03b9"},
    {0x1f98, 0x1f98, U"\u1f20\u03b9"},
    {0x1f99, 0x1f99, U"\u1f21\u03b9"},
    {0x1f9a, 0x1f9a, U"\u1f22\u03b9"},
    {0x1f9b, 0x1f9b, U"\u1f23\u03b9"},
    {0x1f9c, 0x1f9c, U"\u1f24\u03b9"},
    {0x1f9d, 0x1f9d, U"\u1f25\u03b9"},
    {0x1f9e, 0x1f9e, U"\u1f26\u03b9"},
    {0x1f9f, 0x1f9f, U"\u1f27\u03b9"},
    {0x1fa0, 0x1fa0, U"\u1f60\u03b9"},
    {0x1fa1, 0x1fa1, U"\u1f61\u03b9"},
    {0x1fa2, 0x1fa2, U"\u1f62\u03b9"},
    {0x1fa3, 0x1fa3, U"\u1f63\u03b9"},
    {0x1fa4, 0x1fa4, U"\u1f64\u03b9"},
    {0x1fa5, 0x1fa5, U"\u1f65\u03b9"},
    {0x1fa6, 0x1fa6, U"\u1f66\u03b9"},
    {0x1fa7, 0x1fa7, U"\u1f67\u03b9"},
    {0x1fa8, 0x1fa8, U"\u1f60\u03b9"},
    {0x1fa9, 0x1fa9, U"\u1f61\u03b9"},
    {0x1faa, 0x1faa, U"\u1f62\u03b9"},
    {0x1fab, 0x1fab, U"\u1f63\u03b9"},
    {0x1fac, 0x1fac, U"\u1f64\u03b9"},
    {0x1fad, 0x1fad, U"\u1f65\u03b9"},
    {0x1fae, 0x1fae, U"\u1f66\u03b9"},
    {0x1faf, 0x1faf, U"\u1f67\u03b9"},
    {0x1fb2, 0x1fb2, U"\u1f70\u03b9"},
    {0x1fb3, 0x1fb3, U"\u03b1\u03b9"},
    {0x1fb4, 0x1fb4, U"\u03ac\u03b9"},
    {0x1fb6, 0x1fb6, U"\u03b1\u0342"},
    {0x1fb7, 0x1fb7, U"\u03b1\u0342\u03b9"},
    {0x1fbc, 0x1fbc, U"\u03b1\u03b9"},
    {0x1fbe, 0x1fbe, U"\u03b9"},
    {0x1fc2, 0x1fc2, U"\u1f74\u03b9"},
    {0x1fc3, 0x1fc3, U"\u03b7\u03b9"},
    {0x1fc4, 0x1fc4, U"\u03ae\u03b9"},
    {0x1fc6, 0x1fc6, U"\u03b7\u0342"},
    {0x1fc7, 0x1fc7, U"\u03b7\u0342\u03b9"},
    {0x1fcc, 0x1fcc, U"\u03b7\u03b9"},
    {0x1fd2, 0x1fd2, U"\u03b9\u0308\u0300"},
    {0x1fd3, 0x1fd3, U"\u03b9\u0308\u0301"},
    {0x1fd6, 0x1fd6, U"\u03b9\u0342"},
    {0x1fd7, 0x1fd7, U"\u03b9\u0308\u0342"},
    {0x1fe2, 0x1fe2, U"\u03c5\u0308\u0300"},
    {0x1fe3, 0x1fe3, U"\u03c5\u0308\u0301"},
    {0x1fe4, 0x1fe4, U"\u03c1\u0313"},
    {0x1fe6, 0x1fe6, U"\u03c5\u0342"},
    {0x1fe7, 0x1fe7, U"\u03c5\u0308\u0342"},
    {0x1ff2, 0x1ff2, U"\u1f7c\u03b9"},
    {0x1ff3, 0x1ff3, U"\u03c9\u03b9"},
    {0x1ff4, 0x1ff4, U"\u03ce\u03b9"},
    {0x1ff6, 0x1ff6, U"\u03c9\u0342"},
    {0x1ff7, 0x1ff7, U"\u03c9\u0342\u03b9"},
    {0x1ffc, 0x1ffc, U"\u03c9\u03b9"},
    {0xab70, 0xabbf, U"\u13a0"},
    {0xfb00, 0xfb00, U"ff"},
    {0xfb01, 0xfb01, U"fi"},
    {0xfb02, 0xfb02, U"fl"},
    {0xfb03, 0xfb03, U"ffi"},
    {0xfb04, 0xfb04, U"ffl"},
    {0xfb05, 0xfb05, U"st"},
    {0xfb06, 0xfb06, U"st"},
    {0xfb13, 0xfb13, U"\u0574\u0576"},
    {0xfb14, 0xfb14, U"\u0574\u0565"},
    {0xfb15, 0xfb15, U"\u0574\u056b"},
    {0xfb16, 0xfb16, U"\u057e\u0576"},
    {0xfb17, 0xfb17, U"\u0574\u056d"},
};

template <std::size_t N>
const CaseRange* find_range(const CaseRange (&ranges)[N], char32_t code) {
  const auto* after =
      std::upper_bound(std::begin(ranges), std::end(ranges), code,
                       [](char32_t value, const CaseRange& range) { return value < range.first; });
  if (after == std::begin(ranges) || code > (after - 1)->last) return nullptr;
  return after - 1;
}

std::string image_of(const CaseRange& range, char32_t code) {
  std::string out;
  if (range.first != range.last) {
    append_utf8(out, range.image[0] + (code - range.first));
    return out;
  }
  for (const char32_t part : range.image) append_utf8(out, part);
  return out;
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

/// Every character by `ranges` where they name it, the others by `map`.
template <std::size_t N>
std::string mapped(std::string_view text, const CaseRange (&ranges)[N],
                   std::string (*map)(std::string_view)) {
  if (is_ascii(text)) return map(text);
  std::string out;
  std::size_t plain = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Step step = utf8_step(text.substr(at));
    if (const CaseRange* range = find_range(ranges, step.code)) {
      out += map(text.substr(plain, at - plain));
      out += image_of(*range, step.code);
      plain = at + step.length;
    }
    at += step.length;
  }
  return out + map(text.substr(plain));
}

std::string_view first_character(std::string_view text) {
  return text.substr(0, utf8_step(text).length);
}

bool is_cased(std::string_view character) {
  return upper_case(character) != character || lower_case(character) != character ||
         any_of_class(character, CharacterClass::upper) || any_of_class(character, CharacterClass::lower);
}

/// What a search for cased letters passes over: marks and the apostrophes and points inside of words.
bool is_case_ignorable(std::string_view character) {
  static constexpr std::string_view kInside[] = {"'",      ".",      ":",      "^",     "`",
                                                 "\u00a8", "\u00ad", "\u00b7", "\u2019"};
  if (std::find(std::begin(kInside), std::end(kInside), character) != std::end(kInside)) return true;
  return any_of_class(character, CharacterClass::word) && character != "_" &&
         !any_of_class(character, CharacterClass::alphanumeric);
}

constexpr std::string_view kCapitalSigma = "\u03a3";

/// A sigma behind a cased letter and before none ends a word.
bool ends_word(std::string_view text, std::size_t at) {
  std::string_view before = text.substr(0, at);
  bool behind_letter = false;
  while (!before.empty()) {
    std::size_t begin = before.size() - 1;
    while (begin > 0 && (static_cast<unsigned char>(before[begin]) & 0xC0u) == 0x80u) --begin;
    const std::string_view character = before.substr(begin);
    before = before.substr(0, begin);
    if (is_case_ignorable(character)) continue;
    behind_letter = is_cased(character);
    break;
  }
  if (!behind_letter) return false;
  for (std::string_view after = text.substr(at + kCapitalSigma.size()); !after.empty();) {
    const std::string_view character = first_character(after);
    if (!is_case_ignorable(character)) return !is_cased(character);
    after.remove_prefix(character.size());
  }
  return true;
}

/// `map` changes characters behind letters, `first` those that begin a word.
template <class First, class Rest>
std::string by_words(std::string_view text, First first, Rest rest) {
  std::string out;
  bool in_word = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view character = first_character(text.substr(at));
    if (in_word && character == kCapitalSigma) {
      out += ends_word(text, at) ? "\u03c2" : "\u03c3";
    } else {
      out += in_word ? rest(character) : first(character);
    }
    in_word = is_cased(character);
    at += character.size();
  }
  return out;
}

}  // namespace

std::string upper_case(std::string_view text) {
  return mapped(text, kUpper, to_upper);
}

std::string lower_case(std::string_view text) {
  if (text.find(kCapitalSigma) == std::string_view::npos) return mapped(text, kLower, to_lower);
  std::string out;
  std::size_t plain = 0;
  for (std::size_t at = text.find(kCapitalSigma); at != std::string_view::npos;
       at = text.find(kCapitalSigma, plain)) {
    out += mapped(text.substr(plain, at - plain), kLower, to_lower);
    out += ends_word(text, at) ? "\u03c2" : "\u03c3";
    plain = at + kCapitalSigma.size();
  }
  return out + mapped(text.substr(plain), kLower, to_lower);
}

std::string folded_case(std::string_view text) {
  return mapped(text, kFolded, [](std::string_view part) { return mapped(part, kLower, to_lower); });
}

std::string title_character(std::string_view character) {
  return mapped(character, kTitle, upper_case);
}

std::string capitalize(std::string_view text) {
  if (text.empty()) return {};
  const std::size_t length = utf8_step(text).length;
  const std::string lower = lower_case(text);
  const std::string lower_first = lower_case(text.substr(0, length));
  return title_character(text.substr(0, length)) + lower.substr(lower_first.size());
}

std::string title_case(std::string_view text) {
  return by_words(text, title_character, lower_case);
}

std::string swap_case(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view character = first_character(text.substr(at));
    if (character == kCapitalSigma) {
      out += ends_word(text, at) ? "\u03c2" : "\u03c3";
    } else if (any_of_class(character, CharacterClass::upper)) {
      out += lower_case(character);
    } else {
      out += any_of_class(character, CharacterClass::lower) ? upper_case(character) : character;
    }
    at += character.size();
  }
  return out;
}

bool is_title_case(std::string_view text) {
  bool in_word = false;
  bool any = false;
  for (; !text.empty(); text.remove_prefix(first_character(text).size())) {
    const std::string_view character = first_character(text);
    const bool capital = any_of_class(character, CharacterClass::upper) ||
                         (title_character(character) == character && lower_case(character) != character);
    const bool small = !capital && any_of_class(character, CharacterClass::lower);
    if ((capital && in_word) || (small && !in_word)) return false;
    in_word = capital || small;
    any = any || in_word;
  }
  return any;
}

}  // namespace pitwall::jinja
