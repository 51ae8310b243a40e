import DurableIO
import FilePackages
import FoundationEssentials

/// The files of another program's document on their way into an ImageNotes document.
///
/// Other files than images become attachments. The text names all of them by their new paths.
struct AssetIntake {
  /// The most files of a document.
  private static let maximumFiles = 10_000

  /// The folder of the text.
  let tree: FileWrapper
  /// The folder of the format for images and other files; the paths of attachments begin beneath it.
  let assetsFolder: String?
  /// The path of the text's folder in the tree; empty for the tree itself.
  private let textFolder: String
  private(set) var document = InterchangeDocument()
  private(set) var remarks: [InterchangeRemark] = []
  /// The bytes of the remarks, since strings that differ in the way of writing accents are equal.
  private var seen: Set<[UInt8]> = []
  /// The path in the package by the path in the tree.
  private(set) var places: [PackagePath: String] = [:]
  private var attachmentPaths = UniquePaths()
  private var names = CaseInsensitiveNames()

  init(_ tree: FileWrapper, assetsFolder: String?, textFolder: String = "") {
    (self.tree, self.assetsFolder, self.textFolder) = (tree, assetsFolder, textFolder)
  }

  /// Takes the files that a text names, and sets the text with their new paths.
  ///
  /// - Parameters:
  ///   - isTaken: whether a link's file at that path becomes an attachment.
  ///   - file: the text's file, for errors.
  mutating func take(
    _ text: String, from file: String, links isTaken: (String) -> Bool = { _ in true }
  ) throws {
    document.notes.text = try TextReference.rewrite(text, MarkdownReferences.of(text)) { reference in
      do {
        return try destination(of: reference, isTaken)
      } catch var problem as InterchangeProblem {
        problem.file = file
        problem.line = text.utf8.prefix(reference.range.lowerBound).count { $0 == UInt8(ascii: "\n") } + 1
        throw problem
      }
    }
  }

  /// Takes the files in a folder that the text does not name. Hidden files belong to a file manager.
  ///
  /// - Parameters:
  ///   - path: the folder's path with a slash, empty for the tree itself.
  ///   - textName: the text's path, which does not count.
  ///   - isTaken: whether a file at that path counts if it is no image.
  mutating func takeUnnamed(
    in folder: FileWrapper, at path: String = "", besides textName: String? = nil,
    others isTaken: (String) -> Bool = { _ in true }
  ) throws {
    var files: [(String, FileWrapper)] = []
    var others: [InterchangeRemark] = []
    try folder.forEachFile {
      files.append((path + $0, $1))
    } other: {
      others.append(.leftOut(path + $0, reason: $1))
    }
    for (path, file) in files
    where places[PackagePath(path)] == nil && PackagePath(path) != textName.map({ PackagePath($0) }) {
      if try isTaken(path) || file.imageFormat != nil {
        places[PackagePath(path)] = try take(file, at: path, caption: "", isShown: false)
      } else {
        others.append(.leftOut(path, reason: "the text does not name it"))
      }
    }
    for other in others { remark(other) }
  }

  /// Names the files beside the text that were not taken although their names occur in it.
  ///
  /// Cost: O(length of the text), times the number of names with the same first byte.
  ///
  /// - Parameter isMeant: whether a file at that path counts.
  mutating func remarkMentioned(in text: String, where isMeant: (String) -> Bool) throws {
    guard let folder = textFolder.isEmpty ? tree : try tree.descendant(at: textFolder) else { return }
    var names: [UInt8: [(name: [UInt8], path: PackagePath)]] = [:]
    for name in try folder.regularFileNames() where !name.hasPrefix(".") && name.contains(".") {
      let path = textFolder.isEmpty ? name : textFolder + "/" + name
      let (bytes, place) = (FileName(name).bytes, PackagePath(path))
      if places[place] == nil, isMeant(path), let first = bytes.first {
        names[first, default: []].append((bytes, place))
      }
    }
    var mentioned: Set<PackagePath> = []
    for bytes in [Array(text.utf8), text.utf8.percentDecoded.bytes] {
      func isInWord(_ place: Int) -> Bool {
        bytes.indices.contains(place) && (RelativePath.isLetterOrDigit(bytes[place]) || bytes[place] >= 0x80)
      }
      for place in bytes.indices where !isInWord(place - 1) {
        for (name, path) in names[bytes[place]] ?? [] {
          if bytes[place...].starts(with: name), !isInWord(place + name.count) { mentioned.insert(path) }
        }
      }
    }
    for path in mentioned.sorted() {
      remark(.leftOut(path.string, reason: "the text only mentions its name"))
    }
  }

  /// Takes original filenames, captions and order from a list. Entries without an image do not count.
  mutating func arrange(_ list: [TextBundleInfo.Own.Image]) {
    let images = document.notes.images
    var rest = Dictionary(images.map { ($0.place, $0) }) { first, _ in first }
    var arranged: [ImageNotes.Image] = []
    for entry in list {
      guard let place = places[PackagePath(entry.file)],
        var image = rest.removeValue(forKey: PackagePath(place))
      else { continue }
      if let filename = entry.filename, !filename.isEmpty { image.originalFilename = filename }
      image.caption = entry.caption ?? ""
      arranged.append(image)
    }
    document.notes.images = arranged + images.filter { rest[$0.place] != nil }
  }

  mutating func set(text: String) {
    document.notes.text = text
  }

  /// Sets the title, with a space in place of each control character, which metadata cannot hold.
  mutating func set(title: String?, info: TextBundleInfo? = nil) {
    document.notes.customName = title.map { title in
      String(
        String.UnicodeScalarView(
          title.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
    }
    document.info = info
  }

  // MARK: References

  /// Returns the new destination of a reference, nil if it stays.
  private mutating func destination(
    of reference: TextReference, _ isTaken: (String) -> Bool
  ) throws -> String? {
    let destination = reference.destination
    for path in RelativePath.candidates(destination, in: textFolder) {
      switch path {
      case .elsewhere:
        if reference.kind.isShown, !destination.hasPrefix("data:") { remark(.remoteImage(destination)) }
        return nil
      case .outside:
        if reference.kind.isShown { remark(.outside(destination)) }
        return nil
      case .file(let path):
        if reference.kind == .link, places[PackagePath(path)] == nil, !isTaken(path) { return nil }
        do {
          let (caption, isShown) = (reference.words.trimmed(), reference.kind.isShown)
          if let place = try take(path, caption: caption, isShown: isShown) {
            return RelativePath.respelled(destination, from: path, to: place)
          }
        } catch let error as FilePackageError where error.code == .wrongKind {
          remark(.leftOut(path, reason: error.reason ?? error.code.words))
          return nil
        } catch let error as FilePackageError where error.code == .invalidName {
          continue  // No file has that name.
        }
      }
    }
    switch reference.kind {
    case .image, .embed: remark(.missingImage(destination))
    case .link where assetsFolder.map { destination.hasPrefix($0 + "/") } == true:
      remark(.danglingLink(destination))
    case .link, .brackets: break
    }
    return nil
  }

  /// Adds a remark, if it is not there yet.
  mutating func remark(_ remark: InterchangeRemark) {
    if seen.insert(Array(remark.description.utf8)).inserted { remarks.append(remark) }
  }

  /// Takes the file at a path, and returns its path in the package; nil if there is no file, or if a link leads to a
  /// folder.
  ///
  /// - Throws: a `FilePackageError` `wrongKind` or `invalidName` for another node than a file.
  private mutating func take(_ path: String, caption: String, isShown: Bool) throws -> String? {
    if let place = places[PackagePath(path)] { return place }
    let path = try names.path(path, in: tree)
    if let place = places[PackagePath(path)] { return place }
    guard let file = try tree.descendant(at: path), !file.isDirectory || isShown else { return nil }
    let place = try take(tree.regularFile(at: path), at: path, caption: caption, isShown: isShown)
    places[PackagePath(path)] = place
    return place
  }

  // MARK: Files

  /// Takes the file at a path of the tree, and returns its path in the package; nil if there is no file.
  mutating func take(fileAt path: String) throws -> String? {
    do {
      return try take(path, caption: "", isShown: false)
    } catch let error as FilePackageError where error.code == .wrongKind || error.code == .invalidName {
      return nil
    }
  }

  /// Takes a file as an image, or as an attachment if it is none, and returns its path in the package.
  ///
  /// - Parameter isShown: whether the text shows it as an image.
  private mutating func take(_ file: FileWrapper, at path: String, caption: String, isShown: Bool) throws
    -> String
  {
    guard document.notes.images.count + document.attachments.count < Self.maximumFiles else {
      throw InterchangeProblem(.damaged, "it has more than \(Self.maximumFiles) files")
    }
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let place: String
    do {
      let new = try document.notes.add(file.newFile(), originalFilename: name, caption: caption, at: nil)
      place = "\(Layout.images)/\(new)"
      if new != name { remark(.renamed(path, to: place)) }
    } catch ImageNotesError.notAnImage(_, let error) {
      place = attach(file, at: path)
      if isShown { remark(.attached(path, reason: error.description.asClause)) }
    }
    return place
  }

  private mutating func attach(_ file: FileWrapper, at path: String) -> String {
    let prefix = assetsFolder.map { $0 + "/" } ?? ""
    let wanted = path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : path
    let name = attachmentPaths.add(wanted)
    document.attachments[PackagePath(name)] = file
    if name != wanted {
      remark(.renamed(path, to: "\(InterchangeDocument.attachmentsFolder)/\(name)"))
    }
    return "\(InterchangeDocument.attachmentsFolder)/\(name)"
  }
}

extension String {
  /// A sentence as a clause: without a capital and a full stop.
  var asClause: String {
    let text = hasSuffix(".") ? dropLast() : self[...]
    return text.prefix(1).lowercased() + text.dropFirst()
  }
}

extension RelativePath {
  /// The readings of a destination, the usual one first.
  ///
  /// Some programs do not encode names. Some write a backslash before characters of a name.
  ///
  /// - Parameter folder: the path of the text's folder in the tree.
  static func candidates(_ destination: String, in folder: String = "") -> [RelativePath] {
    let unescaped = MarkdownReferences.unescaped(Array(destination.utf8)[...])
    var spellings = [unescaped, HTMLText.unescaped(destination), destination.replacing("\\", with: "/")]
    if let end = destination.firstIndex(where: { $0 == "?" || $0 == "#" }) {
      spellings.append(String(destination[..<end]))
    }
    let readings =
      [RelativePath(destination, in: folder), RelativePath(destination, isEncoded: false, in: folder)]
      + spellings.map { RelativePath($0, in: folder) }
    return readings.enumerated().filter { readings.firstIndex(of: $0.element) == $0.offset }.map(\.element)
  }
}
