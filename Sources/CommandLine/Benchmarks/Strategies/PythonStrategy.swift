import DurableIO

/// Python's `zipfile` in append mode, as a whole process. It appends changed children, leaves their old bytes in
/// the file, and writes a new directory. It does not sync, and a power cut leaves an archive without a directory.
final class PythonStrategy: DirectSaveStrategy {
  static let name = "python"
  static let isDurable = false
  static let isAtomic = false

  private static let append = """
    import sys, warnings, zipfile
    warnings.simplefilter('ignore')
    with zipfile.ZipFile(sys.argv[1], 'a') as archive:
        for name in sys.argv[3:]: archive.write(sys.argv[2] + '/' + name, name)
    """
  private static let extract = """
    import sys, zipfile
    archive = zipfile.ZipFile(sys.argv[1])
    for name in archive.NameToInfo: archive.extract(name, sys.argv[2])
    """

  private let package: DatedFolder
  private var archive: String { package.path(beside: "Package.zip") }

  init(_ model: ModelPackage, at place: SavePlace) throws {
    try place.requireOwnDisk("Python")
    package = try DatedFolder(model, at: place)
    let names = (0..<model.childCount).map(model.name(of:)) + [ModelPackage.metadataName]
    // The length of a command line is limited.
    for start in stride(from: 0, to: names.count, by: 1000) {
      try add(names[start..<min(start + 1000, names.count)].map(\.string))
    }
  }

  private func add(_ names: [String]) throws {
    try ChildProcess().run("python3", ["-c", Self.append, archive, package.path] + names)
  }

  func arrange(_ change: SaveChange) throws { try package.bring(change) }
  func save(_ change: SaveChange) throws { try add(change.files.map(\.name.string)) }

  func verify(_ model: ModelPackage) throws {
    let check = package.path(beside: "Check")
    try ChildProcess().run("python3", ["-c", Self.extract, archive, check])
    try package.verify(model, at: check)
  }
}
