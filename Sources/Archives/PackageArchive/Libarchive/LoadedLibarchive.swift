import CArchive

/// Loads libarchive, before the first call of it. Most programs and most commands make and read no archive with it.
///
/// - Throws: a finding if the system does not have the library.
func loadLibarchive() throws(ArchiveError.Finding) {
  if let reason = carchive_load() { throw .init(.unsupported, String(cString: reason)) }
}
