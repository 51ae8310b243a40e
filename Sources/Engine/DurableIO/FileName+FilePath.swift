import Glibc
package import SystemPackage

extension FileName {
  /// One name of a path.
  package init(_ component: FilePath.Component) {
    self = component.withPlatformString { text in
      FileName(bytes: UnsafeBufferPointer(start: text, count: strlen(text)).map { UInt8(bitPattern: $0) })
    }
  }

  /// A whole path, slashes included.
  package init(_ path: FilePath) {
    self = path.withPlatformString { text in
      FileName(bytes: UnsafeBufferPointer(start: text, count: path.length).map { UInt8(bitPattern: $0) })
    }
  }
}

extension FilePath {
  /// A path from a string that spells bytes which are not UTF-8 as `FileName.string` does.
  package init(lossless string: String) {
    let bytes = FileName(string).bytes.prefix { $0 != 0 }.map { CChar(bitPattern: $0) } + [0]
    self = bytes.withUnsafeBufferPointer { buffer in
      buffer.baseAddress.map { FilePath(platformString: $0) } ?? FilePath()
    }
  }

  /// The path of an entry of the directory.
  package func appending(_ name: FileName) -> FilePath {
    FilePath(lossless: (self == "/" ? "" : FileName(self).string) + "/" + name.string)
  }
}
