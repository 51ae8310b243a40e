import DurableIO
import FilePackages

/// The facts that a name tells of a document; one object for each type.
final class DocumentKind: Sendable {
  let type: UTType
  let isPackage: Bool
  /// Whether the name for people leaves out the extension.
  let hasKnownExtension: Bool

  init(_ type: UTType, isPackage: Bool) {
    (self.type, self.isPackage) = (type, isPackage)
    // A directory of a dynamic type is a package only if its extension is declared as one of packages.
    hasKnownExtension = isPackage ? type != .package : !type.isDynamic && type != .data
  }
}

/// Decides by its name whether a search wants a file or directory.
///
/// It looks up the types of each extension once: a million names cost as many look-ups in a table.
struct DocumentKinds {
  /// The decision about a file or directory.
  enum Verdict {
    case document(DocumentKind)
    case folder
    case ignored
  }

  private struct Key: Hashable {
    let extensions: ArraySlice<UInt8>
    let isDirectory: Bool
  }

  private let wanted: [UTType]
  private let packages: Set<String>
  private var verdicts: [Key: Verdict] = [:]
  private var kinds: [Key: DocumentKind] = [:]

  /// - Parameter packages: extensions that make a directory a package if no type has them.
  init(for contentTypes: [UTType], packages: Set<String> = []) {
    (wanted, self.packages) = (contentTypes, Set(packages.map { $0.lowercased() }))
  }

  /// The kind of a directory that only its children make a package; nil if the search does not want such packages.
  private(set) lazy var unnamedPackage = isWanted(.package) ? DocumentKind(.package, isPackage: true) : nil

  mutating func verdict(_ name: FileName, isDirectory: Bool) -> Verdict {
    if name.isHidden || !isDirectory && TemporaryNames.contains(name) { return .ignored }
    let extensions = name.bytes.dropFirst().firstIndex(of: UInt8(ascii: ".")).map { name.bytes[($0 + 1)...] }
    let key = Key(extensions: extensions ?? [], isDirectory: isDirectory)
    if let verdict = verdicts[key] { return verdict }
    // Names with dots in them can have as many endings as there are names.
    if verdicts.count > 4096 { verdicts = [:] }
    let verdict = look(at: name, isDirectory: isDirectory)
    verdicts[key] = verdict
    return verdict
  }

  private mutating func look(at name: FileName, isDirectory: Bool) -> Verdict {
    let type = UTType(filename: name.string, isDirectory: isDirectory, packages: packages)
    if isDirectory && !type.isPackageOrBundle { return .folder }
    guard isWanted(type) else { return .ignored }
    let key = Key(extensions: Array(type.key.utf8)[...], isDirectory: isDirectory)
    let kind = kinds[key] ?? DocumentKind(type, isPackage: isDirectory)
    kinds[key] = kind
    return .document(kind)
  }

  private func isWanted(_ type: UTType) -> Bool {
    wanted.isEmpty || wanted.contains { type.conforms(to: $0) }
  }
}
