import Glibc

/// Calls `body` with this thread's characters in UTF-8, as libarchive needs it for names; other threads, and what
/// comes after, keep the process's own.
///
/// - Throws: what `body` throws; a finding where the system has no such locale.
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
