import CloudContainers
import DurableIO
import FilePackages
import TestSupport

/// Reads patterns for names of documents (first byte even), or the name of a conflict copy (odd).
///
/// The patterns end at the first NUL; a name is behind it.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzNames(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let start, count > 1 else { return 0 }
  let bytes = Array(UnsafeBufferPointer(start: start + 1, count: count - 1))
  if start[0] & 1 == 0 { readPatterns(bytes) } else { readConflictName(bytes) }
  return 0
}

private func readPatterns(_ bytes: [UInt8]) {
  let parts = bytes.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
  let text = String(decoding: parts[0], as: UTF8.self)
  let names = (parts.count > 1 ? parts[1] : []).split(separator: UInt8(ascii: "/")).map(Array.init)
  guard !names.isEmpty, names.allSatisfy({ !$0.contains(0) }) else { return }
  let name = names.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "/")
  let time = threadTime {
    let patterns = PathPatterns(text)
    if patterns.matches(name, isDirectory: false) {
      precondition(patterns.matchesAnyPart(of: name, isDirectory: false))
    }
    precondition(!patterns.isEmpty || !patterns.matchesAnyPart(of: name, isDirectory: true))
  }
  precondition(time < .seconds(2), "\(time) for \(bytes.count) bytes")
  // The last pattern decides.
  guard !name.contains(where: \.isNewline) else { return }
  let escaped = name.unicodeScalars.map { $0 == "/" ? "/" : "\\\($0)" }.joined()
  precondition(PathPatterns(text + "\n/" + escaped).matches(name, isDirectory: false), "\(name) is not taken")
  precondition(
    !PathPatterns(text + "\n!/" + escaped).matches(name, isDirectory: false), "\(name) is not taken out")
}

private func readConflictName(_ bytes: [UInt8]) {
  let name = FileName(bytes: bytes)
  guard name.problem == nil else { return }
  if let conflict = ConflictName(name) { check(conflict, of: name) }
  guard let mark = CopyMark(ofMetadata: name) else { return }
  precondition(ConflictName.mayCopyMetadata(name))
  guard let conflict = ConflictName(name, mark) else {
    preconditionFailure("'\(mark.text)' is not the mark of \(name.display)")
  }
  check(conflict, of: name)
  precondition(conflict.original == PackageLayout.metadata)
}

private func check(_ conflict: ConflictName, of name: FileName) {
  precondition(conflict.original.problem == nil, "\(conflict)")
  precondition(conflict.original.bytes.count < name.bytes.count && !conflict.tag.isEmpty, "\(conflict)")
}
