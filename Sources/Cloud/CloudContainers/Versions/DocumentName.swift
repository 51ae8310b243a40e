import Documents
package import DurableIO
import FilePackages

/// The rules for the names of documents in a container: paths such as `Travel/Trip.imageNotes`.
package enum DocumentName {
  /// The largest number of folders and the document together.
  static let maximumDepth = 20
  /// The longest name, in bytes.
  static let maximumLength = 1_000

  /// Returns the parts of a name; nil if no document can have it on every machine.
  package static func parts(_ name: String) -> [FileName]? {
    guard name.utf8.count <= maximumLength else { return nil }
    let parts = name.split(separator: "/", omittingEmptySubsequences: false).map { FileName(String($0)) }
    guard (1...maximumDepth).contains(parts.count), parts.allSatisfy({ $0.problem == nil && !$0.isHidden }),
      parts.allSatisfy({ !$0.bytes.contains { $0 < 0x20 || $0 == 0x7F } })
    else { return nil }
    return parts
  }

  /// Returns whether a document can have the name.
  package static func isValid(_ name: String) -> Bool { parts(name) != nil }

  /// The name by which two names are one for the least distinguishing file system: without case and composition.
  package static func folded(_ name: String) -> String { name.lowercased() }

  /// Returns the first of `Trip 2.txt`, `Trip 3.txt`, … that is not taken.
  ///
  /// - Parameter isTaken: whether there is a document of a folded name.
  package static func free(_ name: String, _ isTaken: (String) -> Bool) -> String {
    guard isTaken(folded(name)) else { return name }
    var (folders, last) = ("", name)
    if let slash = name.lastIndex(of: "/") {
      (folders, last) = (String(name[...slash]), String(name[name.index(after: slash)...]))
    }
    return firstFree(
      from: 2, { folders + FileName(last).numbered($0).string }, isTaken: { isTaken(folded($0)) })
  }
}
