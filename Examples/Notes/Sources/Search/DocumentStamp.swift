import FilePackages
import Foundation

/// Tells whether a document changed since it was read, without reading it.
enum DocumentStamp {
  /// Returns the dates, sizes and numbers of the document's folder and files; nil if the document is not here.
  ///
  /// Another program may write a file in its place, which does not change the date of the folder.
  static func stamp(of url: URL) -> String? {
    guard let folder = try? FileWrapper(url: url) else { return nil }
    let files = ["Text.txt", "Images.txt"].compactMap { try? folder.child(named: $0) }
    return ([folder] + files).map(word).joined(separator: " ")
  }

  private static func word(_ file: FileWrapper) -> String {
    let keys: [FileAttributeKey] = [.systemFileNumber, .size, .modificationDate]
    return keys.map { key in
      let value = file.fileAttributes[key.rawValue]
      return (value as? Date).map { "\($0.timeIntervalSince1970)" } ?? value.map { "\($0)" } ?? ""
    }.joined(separator: "-")
  }
}
