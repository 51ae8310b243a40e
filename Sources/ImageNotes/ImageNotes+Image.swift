public import FilePackages
import Synchronization

extension ImageNotes {
  /// One image of a document.
  public struct Image: Sendable {
    /// The name of its file in the package, by which it is addressed.
    public let name: String
    /// The name that the file had when it was added.
    public let originalFilename: String
    /// What the user wrote about it.
    public var caption: String

    /// Where in the package it is: in `Images`, or at the top in the classic shape.
    var folder: [String]
    let source: Source

    enum Source: Sendable {
      case stored(StoredImage)
      case new(FileWrapper)
    }

    /// The path of its file in the package.
    public var path: String { (folder + [name]).joined(separator: "/") }

    /// The regular file that holds it.
    ///
    /// - Throws: `noSuchFile` when it is gone from the package.
    public func file() throws -> FileWrapper {
      switch source {
      case .new(let wrapper): return wrapper
      case .stored(let image): return try image.file()
      }
    }

    /// Its format and size in pixels, from its bytes, never from its name. Reads only its header.
    ///
    /// - Throws: `ImageHeaderError` when it is no image of a known format; `FilePackageError` when it cannot be
    ///   read.
    public func header() throws -> ImageHeader {
      try ImageHeader(of: file())
    }
  }
}

/// A child of a directory wrapper, which becomes an object when it is asked for. All values that have the image share
/// it: one in which it was removed, and an earlier one to which the user goes back.
final class StoredImage: Sendable {
  let directory: FileWrapper
  let name: String
  private let held = Mutex<FileWrapper?>(nil)

  init(_ name: String, in directory: FileWrapper) {
    (self.directory, self.name) = (directory, name)
  }

  func file() throws -> FileWrapper {
    if let removed { return removed }
    return try directory.regularFile(at: name)
  }

  /// The image, where it was taken out of a value.
  var removed: FileWrapper? { held.withLock { $0 } }

  /// Holds on to the image, which is to be taken out of the directory by the next save. Of one that another program has
  /// removed there is nothing to hold.
  func hold() throws {
    do {
      let file = try file()
      held.withLock { $0 = file }
    } catch let error as FilePackageError where error.code == .noSuchFile {
    }
  }
}

extension ImageHeader {
  /// Reads the header of an image that is a regular file.
  public init(of file: FileWrapper) throws {
    self = try file.withRandomAccess { size, read in try ImageHeader(size: size, reading: read) }
  }
}
