import DurableIO

/// What the names of some documents tell of them; one object for each type.
final class DocumentKind: Sendable {
  let type: UTType
  let isPackage: Bool
  /// Whether the extension is no part of the name for people.
  let hasKnownExtension: Bool

  init(_ type: UTType, isPackage: Bool) {
    (self.type, self.isPackage) = (type, isPackage)
    // A directory is a package of a dynamic type only where somebody said so of its extension.
    hasKnownExtension = isPackage ? type != .package : !type.isDynamic && type != .data
  }
}

/// Tells what files and directories are by their names, and which of them are looked for.
///
/// Of each extension the types are asked once: a million names cost as many look-ups in a table.
struct DocumentKinds {
  /// What is to be done with a file or directory.
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

  /// - Parameter packages: extensions that make a directory a package where no type is known.
  init(for contentTypes: [UTType], packages: Set<String> = []) {
    (wanted, self.packages) = (contentTypes, Set(packages.map { $0.lowercased() }))
  }

  /// What a directory is that only what is in it makes a package; nil where nobody looks for such.
  private(set) lazy var unnamedPackage = isWanted(.package) ? DocumentKind(.package, isPackage: true) : nil

  mutating func verdict(_ name: FileName, isDirectory: Bool) -> Verdict {
    if name.isHidden { return .ignored }
    let extensions = name.bytes.dropFirst().firstIndex(of: UInt8(ascii: ".")).map { name.bytes[($0 + 1)...] }
    let key = Key(extensions: extensions ?? [], isDirectory: isDirectory)
    if let verdict = verdicts[key] { return verdict }
    // Names with dots in them have as many endings as there are names.
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
