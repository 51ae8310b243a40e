public import FilePackages
import Synchronization

extension ImageNotes {
  /// One image of a document.
  public struct Image: Sendable {
    /// The name of its file in the package, which identifies the image.
    public internal(set) var name: String
    /// The name of the file when the user added it.
    public internal(set) var originalFilename: String
    /// The user's caption.
    public var caption: String

    /// The folder in the package: `Images`, or the top in the classic shape.
    var folder: [String]
    var source: Source

    enum Source: Sendable {
      case stored(StoredImage)
      case new(FileWrapper)
    }

    /// The path of its file in the package.
    public var path: String { (folder + [name]).joined(separator: "/") }

    /// The path by its bytes. Two names that differ only in the way of writing accents are equal as strings.
    var place: PackagePath { PackagePath(path) }

    /// The image's regular file.
    ///
    /// - Throws: `noSuchFile` if it is gone from the package.
    public func file() throws -> FileWrapper {
      switch source {
      case .new(let wrapper): return wrapper
      case .stored(let image): return try image.file()
      }
    }

    /// The image's format, and its size if that is read, from its bytes, never from its name.
    ///
    /// Reads only its header.
    ///
    /// - Throws: `ImageHeaderError` if the file is not an image of a known format; `FilePackageError` if it cannot be
    ///   read.
    public func header() throws -> ImageHeader {
      try ImageHeader(of: file())
    }
  }
}

/// A child of a directory wrapper, which becomes an object on its first use.
///
/// All values with the image share it: a value without the image, and an earlier value to which the user goes back.
final class StoredImage: Sendable {
  let directory: FileWrapper
  let name: String
  private let held = Mutex<FileWrapper?>(nil)

  init(_ name: String, in directory: FileWrapper) {
    (self.directory, self.name) = (directory, name)
  }

  func file() throws -> FileWrapper {
    // The image's file, after its removal from a value.
    if let removed = held.withLock({ $0 }) { return removed }
    return try directory.regularFile(at: name)
  }

  /// Holds the image, which the next save removes from the directory. There is nothing to hold if another program has
  /// removed it.
  func hold() throws {
    do {
      let file = try file()
      held.withLock { $0 = file }
    } catch let error as FilePackageError where error.code == .noSuchFile {
    }
  }
}

extension FileWrapper {
  /// The format of the image in the file; nil if it is no image of a known format.
  var imageFormat: ImageHeader.Format? {
    get throws {
      do {
        return try ImageHeader(of: self).format
      } catch is ImageHeaderError {
        return nil
      }
    }
  }
}

extension ImageHeader {
  /// Reads the header of an image from a regular file.
  public init(of file: FileWrapper) throws {
    self = try file.withRandomAccess { size, read in try ImageHeader(size: size, reading: read) }
  }
}
