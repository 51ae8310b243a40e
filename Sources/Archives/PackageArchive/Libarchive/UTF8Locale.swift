import Glibc

/// Calls `body` with UTF-8 as the character set of this thread, which libarchive needs for names. Other threads and
/// later calls keep the locale of the process.
///
/// - Throws: the errors of `body`; a finding if the system has no such locale.
func withUTF8Locale<Value>(_ body: () throws -> Value) throws -> Value {
  guard let utf8 = newlocale(1 << LC_CTYPE, "C.UTF-8", nil) else {
    throw ArchiveError.Finding(.unsupported, "the system has no locale 'C.UTF-8'")
  }
  let previous = uselocale(utf8)
  defer {
    uselocale(previous)
    freelocale(utf8)
  }
  return try body()
}
