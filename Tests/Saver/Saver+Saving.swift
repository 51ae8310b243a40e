import FilePackages
import FoundationEssentials
import SystemPackage

extension Saver {
  /// Makes a package of the first generation.
  static func make(at url: URL, children count: Int) async throws {
    let tree = FileWrapper(directoryWithFileWrappers: [:])
    for number in 0..<count { put("\(number).txt", 1, in: tree) }
    let folder = FileWrapper(directoryWithFileWrappers: [:])
    folder.preferredFilename = "Folder"
    folder.addRegularFile(withContents: Content.bytes(1, "Folder/inner.txt"), preferredFilename: "inner.txt")
    tree.addFileWrapper(folder)
    put("added-1.txt", 1, in: tree)
    tree.addRegularFile(withContents: Content.bytes(1, "moved.txt"), preferredFilename: "moved-1.txt")
    addLink(1, to: tree)
    _ = try await PackageStore.create(tree, at: url, contentType: UTType(exportedAs: "com.example.saved"))
  }

  /// Saves one generation and reports it at once.
  static func save(
    _ url: URL, _ generation: Int, touching touched: Int?, _ options: PackageStore.SavingOptions
  ) async throws {
    let store = try await PackageStore.open(at: url)
    try bring(await store.tree, to: generation, touching: touched)
    try await store.save(options: options)
    say("saved \(generation)\n")
    try await close(store)
  }

  /// Saves one generation without this library, so that a check finds a broken document.
  static func saveCarelessly(_ url: URL, _ generation: Int) throws {
    let files = FileManager.default
    for name in try files.contentsOfDirectory(atPath: url.path).sorted() where number(ofChild: name) != nil {
      try Content.bytes(generation, name).write(to: url.appending(path: name))
    }
    try files.removeItem(at: url.appending(path: "added-\(generation - 1).txt"))
    let name = "added-\(generation).txt"
    try Content.bytes(generation, name).write(to: url.appending(path: name))
    say("saved \(generation)\n")
  }

  /// Saves one generation after the other with one open store.
  static func loop(
    _ url: URL, _ generations: ClosedRange<Int>, _ acknowledgements: FileDescriptor?,
    _ options: PackageStore.SavingOptions
  ) async throws {
    let store = try await PackageStore.open(at: url)
    for generation in generations {
      try bring(await store.tree, to: generation, touching: nil)
      try await store.save(options: options)
      say("saved \(generation)\n", to: acknowledgements ?? .standardOutput)
    }
    try await close(store)
  }

  private static func close(_ store: PackageStore) async throws {
    try await store.close()
    say("closed\n")
  }

  /// Changes a tree of any generation to this one. Replaces the first `touched` children, one in a folder, and the
  /// link. Removes a child, adds one, and moves one.
  private static func bring(_ tree: FileWrapper, to generation: Int, touching touched: Int?) throws {
    let names = try tree.childNames()
    var numbered = 0
    for name in names {
      if let number = number(ofChild: name) {
        numbered = max(numbered, number + 1)
      } else if name.hasPrefix("added-") {
        try remove(name, from: tree)
      } else if name.hasPrefix("moved-") {
        try tree.child(named: name)?.preferredFilename = "moved-\(generation).txt"
      }
    }
    for number in 0..<min(touched ?? numbered, numbered) {
      try remove("\(number).txt", from: tree)
      put("\(number).txt", generation, in: tree)
    }
    if let folder = try tree.child(named: "Folder") {
      try remove("inner.txt", from: folder)
      folder.addRegularFile(
        withContents: Content.bytes(generation, "Folder/inner.txt"), preferredFilename: "inner.txt")
    }
    put("added-\(generation).txt", generation, in: tree)
    try remove("link", from: tree)
    addLink(generation, to: tree)
  }

  /// Returns the number in `7.txt`.
  static func number(ofChild name: String) -> Int? {
    name.hasSuffix(".txt") ? Int(name.dropLast(4)) : nil
  }

  static func put(_ name: String, _ generation: Int, as content: String? = nil, in tree: FileWrapper) {
    tree.addRegularFile(withContents: Content.bytes(generation, content ?? name), preferredFilename: name)
  }

  static func remove(_ name: String, from tree: FileWrapper) throws {
    if let child = try tree.child(named: name) { tree.removeFileWrapper(child) }
  }

  private static func addLink(_ generation: Int, to tree: FileWrapper) {
    let link = FileWrapper(symbolicLinkWithDestinationURL: URL(filePath: "target-\(generation)"))
    link.preferredFilename = "link"
    tree.addFileWrapper(link)
  }
}
