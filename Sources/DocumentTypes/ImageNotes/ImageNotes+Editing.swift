import DurableIO
import FilePackages
public import FoundationEssentials

extension ImageNotes {
  /// Adds the image in a file, at the end or at `index`, and returns its name in the package.
  ///
  /// The save reads the file in pieces. The image gets the file's name if that name is free.
  ///
  /// - Throws: `ImageNotesError.notAnImage` if the bytes are not an image of a known format; the error of the system if
  ///   the file cannot be read.
  @discardableResult
  public mutating func add(imageAt url: URL, caption: String = "", at index: Int? = nil) throws -> String {
    try add(
      FileWrapper(regularFileWithContentsOf: url), originalFilename: url.lastPathComponent, caption: caption,
      at: index)
  }

  /// Adds an image from its bytes.
  ///
  /// - Throws: as `add(imageAt:caption:at:)`.
  @discardableResult
  public mutating func add(
    imageData data: Data, originalFilename: String, caption: String = "", at index: Int? = nil
  ) throws -> String {
    try add(
      FileWrapper(regularFileWithContents: data), originalFilename: originalFilename, caption: caption,
      at: index)
  }

  /// Adds the image in a file wrapper.
  mutating func add(
    _ file: FileWrapper, originalFilename: String, caption: String, at index: Int?
  ) throws -> String {
    let header = try Self.checkedHeader(of: file, originalFilename)
    let name = FreeName.of(originalFilename, header.format, amongst: otherNames + images.map(\.name))
    let image = Image(
      name: name, originalFilename: originalFilename, caption: caption, folder: [Layout.images],
      source: .new(file))
    images.insert(image, at: min(max(index ?? images.count, 0), images.count))
    return name
  }

  /// Replaces the picture of one image.
  ///
  /// The image has the same place and caption as before, and the same name if the new picture has the same format.
  ///
  /// - Throws: `ImageNotesError.noSuchImage` for a name that no image has; otherwise as `add(imageAt:caption:at:)`.
  @discardableResult
  public mutating func replace(image name: String, withImageAt url: URL) throws -> String {
    try replace(
      name, with: FileWrapper(regularFileWithContentsOf: url), originalFilename: url.lastPathComponent)
  }

  /// Replaces the picture of one image by its bytes.
  ///
  /// - Throws: as `replace(image:withImageAt:)`.
  @discardableResult
  public mutating func replace(
    image name: String, withImageData data: Data, originalFilename: String
  ) throws -> String {
    try replace(name, with: FileWrapper(regularFileWithContents: data), originalFilename: originalFilename)
  }

  private mutating func replace(
    _ name: String, with file: FileWrapper, originalFilename: String
  ) throws -> String {
    let index = try index(of: name)
    let header = try Self.checkedHeader(of: file, originalFilename)
    let old = images[index]
    try old.hold()
    let fits = header.format.filenameExtensions.contains(FreeName.split(old.name).pathExtension.lowercased())
    var others = images.map(\.name)
    others.remove(at: index)
    others += otherNames
    let new = fits ? old.name : FreeName.of(originalFilename, header.format, amongst: others)
    images[index] = Image(
      name: new, originalFilename: originalFilename, caption: old.caption, folder: old.folder,
      source: .new(file))
    return new
  }

  /// Removes one image.
  ///
  /// - Throws: `ImageNotesError.noSuchImage` for a name that no image has.
  public mutating func remove(image name: String) throws {
    try images.remove(at: index(of: name)).hold()
  }

  /// Moves one image to another place in the order, counted from 0 without the image itself.
  ///
  /// A place beyond the end is the end.
  ///
  /// - Throws: `ImageNotesError.noSuchImage` for a name that no image has.
  public mutating func move(image name: String, to place: Int) throws {
    let image = images.remove(at: try index(of: name))
    images.insert(image, at: min(max(place, 0), images.count))
  }

  /// Sets the caption of one image.
  ///
  /// - Throws: `ImageNotesError.noSuchImage` for a name that no image has.
  public mutating func setCaption(_ caption: String, ofImage name: String) throws {
    images[try index(of: name)].caption = caption
  }

  /// Returns the index of the image with that name or path: the same bytes, or else the same characters.
  func index(of name: String) throws -> Int {
    let wanted = PackagePath(name)
    let index =
      images.firstIndex { PackagePath($0.name) == wanted || $0.place == wanted }
      ?? images.firstIndex { $0.name == name || $0.path == name }
    guard let index else { throw ImageNotesError.noSuchImage(name, has: images.map(\.name)) }
    return index
  }

  private static func checkedHeader(of file: FileWrapper, _ name: String) throws -> ImageHeader {
    do {
      return try ImageHeader(of: file)
    } catch let error as ImageHeaderError {
      throw ImageNotesError.notAnImage(name, error)
    }
  }
}

/// Names for images in a package.
enum FreeName {
  /// Returns the original name with an extension of the format, and with a number if the name is taken.
  ///
  /// It compares names without regard to case and to the way of writing accents, as some file systems do.
  static func of(_ original: String, _ format: ImageHeader.Format, amongst taken: [String]) -> String {
    let taken = Set(taken.map { FileName($0).string.lowercased() })
    var (base, pathExtension) = split(
      FileName(original).string.replacing("/", with: ":").replacing("\0", with: ""))
    if !format.filenameExtensions.contains(pathExtension.lowercased()) {
      base = pathExtension.isEmpty ? base : "\(base).\(pathExtension)"
      pathExtension = format.preferredFilenameExtension
    }
    // A reader does not find a hidden file.
    base = String(base.drop { $0 == "." })
    if base.isEmpty { base = "Image" }
    // A number and an extension also fit in the 255 bytes of a name.
    while base.utf8.count > 230 { base.removeLast() }
    return firstFree(
      { $0 == 1 ? "\(base).\(pathExtension)" : "\(base) \($0).\(pathExtension)" },
      isTaken: { taken.contains($0.lowercased()) })
  }

  static func split(_ name: String) -> (base: String, pathExtension: String) {
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return (name, "") }
    return (String(name[..<dot]), String(name[name.index(after: dot)...]))
  }
}
