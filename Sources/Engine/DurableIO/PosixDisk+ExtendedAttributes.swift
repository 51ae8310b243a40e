internal import CLinux
internal import Glibc
internal import SystemPackage

extension PosixDisk {
  package func extendedAttributes(of file: borrowing OwnedDescriptor) throws(SystemError) -> [String: [UInt8]]
  {
    var attributes: [String: [UInt8]] = [:]
    for name in try names(of: file.number) where Self.isCarried(name.string) {
      let value = try Self.grown("fgetxattr") {
        clinux_fgetxattr(file.number, Self.cString(name), $0.baseAddress, $0.count)
      }
      // A program may have removed the attribute since the list: then a copy carries nothing.
      if let value { attributes[name.string] = value }
    }
    return attributes
  }

  package func setExtendedAttribute(_ name: String, _ value: [UInt8], of file: borrowing OwnedDescriptor)
    throws(SystemError)
  {
    let name = Self.cString(FileName(name))
    try repeated("fsetxattr") { clinux_fsetxattr(file.number, name, value, value.count) }
  }

  private func names(of number: Int32) throws(SystemError) -> [FileName] {
    let list = try Self.grown("flistxattr") { buffer in
      clinux_flistxattr(number, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), buffer.count)
    }
    return (list ?? []).split(separator: 0).map { FileName(bytes: Array($0)) }
  }

  private static func cString(_ name: FileName) -> [CChar] { name.bytes.map { CChar(bitPattern: $0) } + [0] }

  /// Returns whether a copy must carry the attribute: `security.*` and `trusted.*` belong to the system.
  private static func isCarried(_ name: String) -> Bool {
    name.hasPrefix("user.") || name == "system.posix_acl_access" || name == "system.posix_acl_default"
  }

  /// Gets the size, then the bytes, and starts again if they grow in between.
  ///
  /// It returns nil if there are none, or if the file system does not support them.
  private static func grown(_ call: String, _ body: (UnsafeMutableRawBufferPointer) -> Int)
    throws(SystemError)
    -> [UInt8]?
  {
    while true {
      do {
        let size = try repeated(call) { body(UnsafeMutableRawBufferPointer(start: nil, count: 0)) }
        if size == 0 { return [] }
        var bytes = [UInt8](repeating: 0, count: size)
        let count = try repeated(call) { bytes.withUnsafeMutableBytes { body($0) } }
        return Array(bytes.prefix(count))
      } catch  where error.code == .outOfRange {
        continue
      } catch  where error.code == .noData || error.code == .notSupported {
        return nil
      }
    }
  }
}
