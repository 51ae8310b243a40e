import DurableIO
import FileTrees
package import PackageFormat

/// A child that is perhaps a conflict copy of another one: nothing shows whether it is.
///
/// Another program added it, and its name is that of a saved child beside it with an addition in one place. It is a child
/// like any other, and never a conflict.
public struct PossibleCopy: Sendable, Hashable, Codable {
  /// The child.
  public let path: String
  /// The child that it may be a copy of.
  public let original: String
}

extension PossibleCopy: CustomStringConvertible {
  /// One line, such as `perhaps a copy of Text.txt: Text (1).txt`.
  public var description: String {
    "perhaps a copy of \(displayString(original)): \(displayString(path))"
  }
}

extension ConflictSet {
  /// Returns the children that are perhaps copies, in byte order; none if the saved children are unknown.
  ///
  /// Cost: a look into the notes of the saves for each child.
  package func possibleCopies() throws(FilePackageError) -> [PossibleCopy] {
    guard let metadata = try package.baseline.metadata.get(),
      let table = try package.table(of: metadata),
      table.isComplete
    else { return [] }
    let others = evidence.allCopies.union(metadata.uncounted)
    var found: [PossibleCopy] = []
    for (folder, listing) in evidence.folders {
      for position in 0..<listing.count where [.file, .symbolicLink].contains(listing.kind(at: position)) {
        let name = listing.name(at: position)
        let path = folder.path.appending(name)
        if PackageLayout.isOurs(path) || others.contains(path) || table.row(at: path) != nil
          || TemporaryNames.contains(name)
        {
          continue
        }
        let original = name.possibleOriginals.first { original in
          let place = folder.path.appending(original)
          return listing.position(of: original) != nil
            && (table.row(at: place) != nil || PackageLayout.isOurs(place))
        }
        if let original {
          found.append(PossibleCopy(path: path.string, original: folder.path.appending(original).string))
        }
      }
    }
    return found.sorted { $0.path < $1.path }
  }
}

extension FileName {
  private static let mostEnds = 40

  /// This name without one of its parts, the longest first: one of them may be the original's name.
  ///
  /// At each end of a part, one of the two characters is no letter and no digit.
  var possibleOriginals: some Sequence<FileName> {
    let text = Array(String(validating: bytes, as: UTF8.self) ?? "")
    let ends = text.indices.dropFirst().filter { !text[$0 - 1].isWordPart || !text[$0].isWordPart }
      .prefix(Self.mostEnds)  // A name of signs only would have tens of thousands of parts.
    let places = [0] + ends + [text.count]
    let parts = places.indices.flatMap { first in
      places[(first + 1)...].map { places[first]..<$0 }
    }
    return parts.filter { $0.count < text.count }.sorted { $0.count < $1.count }.lazy.map { part in
      FileName(String(text[..<part.lowerBound] + text[part.upperBound...]))
    }
  }
}

extension Character {
  fileprivate var isWordPart: Bool { isLetter || isNumber }
}
