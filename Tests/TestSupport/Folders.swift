package import Foundation
package import SystemPackage

/// Makes a folder, and the folders on the way to it.
package func createFolder(at url: URL) throws {
  try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
}

package func createFolder(at path: FilePath) throws { try createFolder(at: URL(filePath: path.string)) }

/// Writes a file, and makes the folders on the way to it.
package func writeFile(_ bytes: Data, to url: URL) throws {
  try createFolder(at: url.deletingLastPathComponent())
  try bytes.write(to: url)
}
