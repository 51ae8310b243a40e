import Glibc
import SystemPackage

/// The program that saves a document, as named in the document's metadata.
public struct SavingProgram: Sendable, Hashable {
  /// Its name.
  public var name: String
  /// Its version.
  public var version: String

  /// Makes a program of this name and version.
  public init(name: String, version: String) {
    (self.name, self.version) = (name, version)
  }

  /// This process: the name of its executable file, and the version of this library.
  public static let current = SavingProgram(
    name: executableName, version: FilePackagesVersion.current)

  private static var executableName: String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    guard readlink("/proc/self/exe", &buffer, buffer.count - 1) > 0 else { return "" }
    return buffer.withUnsafeBufferPointer { buffer in
      buffer.baseAddress.flatMap { FilePath(platformString: $0).lastComponent?.string } ?? ""
    }
  }
}
