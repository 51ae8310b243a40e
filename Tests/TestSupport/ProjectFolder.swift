package import Foundation

/// The folder of the project, which has `Package.swift`.
package let projectFolder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent()

/// The folder of documents that other programs made, beside the project. Tests of them skip where it is absent.
package let sampleFolder = projectFolder.deletingLastPathComponent().appending(path: "shared/samples")
