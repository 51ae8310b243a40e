import Glibc

/// Returns whether a name matches a pattern of the shell; `?` is one character, also beyond ASCII.
package func matches(_ name: String, pattern: String, _ flags: Int32 = 0) -> Bool {
  _ = usesCharacters
  return fnmatch(pattern, name, flags) == 0
}

/// fnmatch(3) counts bytes until the program has a locale.
private let usesCharacters = setlocale(LC_CTYPE, "C.UTF-8") != nil
