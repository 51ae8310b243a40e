import FilePackages
import FoundationEssentials
import Glibc

extension Saver {
  /// Prints the generation of the document as this library reads it, if it is exactly one.
  static func check(_ url: URL, touched: Int?) async throws {
    let store = try await PackageStore.open(at: url)
    let tree = await store.tree
    let found = try texts(of: tree)
    var problems: [String] = []
    let generation = found.keys.compactMap { name in
      name.hasPrefix("added-") ? Int(name.dropFirst(6).dropLast(4)) : nil
    }.first
    let count = found.keys.count { number(ofChild: $0) != nil }
    let expected = texts(of: generation ?? 0, children: count)
    for name in Set(found.keys).union(expected.keys).sorted() where found[name] != expected[name] {
      if let touched, let number = number(ofChild: name), number >= touched, number < count,
        let words = found[name]?.split(separator: " "), let old = Int(words[0]), words[1] == name,
        old < generation ?? 0
      {
        continue
      }
      problems.append("\(name) is \(found[name] ?? "missing"), not \(expected[name] ?? "to be here")")
    }
    problems += try await metadataProblems(of: store, tree)
    guard problems.isEmpty, let generation else {
      say("mixed: \(problems.joined(separator: "; "))\n")
      exit(1)
    }
    let saves = try await store.metadata()?.generation ?? 0
    say("state \(generation)\nchildren \(count)\nsaves \(saves)\n")
  }

  /// Returns `GENERATION NAME` of each file and the destination of each link, by path.
  static func texts(of folder: FileWrapper, in path: String = "") throws -> [String: String] {
    var texts: [String: String] = [:]
    for (name, child) in try folder.children()
    where path + name != "Metadata.plist" && path + name != ".docpkg" {
      if child.isDirectory {
        texts.merge(try self.texts(of: child, in: "\(path)\(name)/")) { first, _ in first }
      } else if child.isSymbolicLink {
        texts[path + name] = child.symbolicLinkDestinationURL?.relativePath
      } else if let content = Content.parse(try child.contents()) {
        texts[path + name] = "\(content.generation) \(content.name)"
      } else {
        texts[path + name] = "broken"
      }
    }
    return texts
  }

  private static func texts(of generation: Int, children count: Int) -> [String: String] {
    var texts = [
      "Folder/inner.txt": "\(generation) Folder/inner.txt",
      "added-\(generation).txt": "\(generation) added-\(generation).txt",
      "moved-\(generation).txt": "1 moved.txt",
      "link": "target-\(generation)",
    ]
    for number in 0..<count { texts["\(number).txt"] = "\(generation) \(number).txt" }
    return texts
  }

  private static func metadataProblems(of store: PackageStore, _ tree: FileWrapper) async throws -> [String] {
    guard let metadata = try await store.metadata() else { return ["no metadata"] }
    let summary = try ContentSummary(reading: tree.snapshot())
    var problems: [String] = []
    if metadata.contentDigest != summary.digest.hexadecimal { problems.append("another ContentDigest") }
    if metadata.fileCount != summary.fileCount { problems.append("another FileCount") }
    if metadata.size != summary.byteCount { problems.append("another ByteCount") }
    return problems
  }

  // MARK: As any program reads

  /// Reads the directory without opening the package. Every file must be whole at any moment.
  static func readNaively(_ url: URL) throws {
    var generations: Set<Int> = []
    let broken = try brokenFiles(in: url, at: "", &generations)
    for name in broken.sorted() { say("broken \(name)\n") }
    guard broken.isEmpty else { exit(1) }
    say("whole\nset \(generations.sorted().map(String.init).joined(separator: " "))\n")
  }

  private static func brokenFiles(
    in folder: URL, at path: String, _ generations: inout Set<Int>
  ) throws -> [String] {
    var broken: [String] = []
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      if path.isEmpty && name == ".docpkg" { continue }
      let place = path + name
      let url = folder.appending(path: name)
      let type = try FileManager.default.attributesOfItem(atPath: url.path)[.type] as? FileAttributeType
      if type == .typeDirectory {
        broken += try brokenFiles(in: url, at: "\(place)/", &generations)
        continue
      }
      guard type == .typeRegular else { continue }
      let data = try Data(contentsOf: url)
      if place == "Metadata.plist" {
        let decoder = PropertyListDecoder()
        if (try? decoder.decode([String: PropertyListValue].self, from: data)) == nil { broken.append(place) }
      } else if let content = Content.parse(data), isContent(content.name, of: place) {
        if content.name == place { generations.insert(content.generation) }
      } else {
        broken.append(place)
      }
    }
    return broken
  }

  private static func isContent(_ name: String, of path: String) -> Bool {
    name == path || path.hasPrefix("moved-") || path == "shared.txt"
  }
}
