import FilePackages
import FoundationEssentials
import TestSupport
import Testing

/// Facts of 1.3, 1.4 and 1.9: FW5.
///
/// These calls raise an exception with Apple's, and trap here.
@Suite("A wrapper used for what it is not", .tags(.process))
struct FileWrapperMisuseTests {
  enum Misuse: String, CaseIterable, Codable, Sendable {
    case addToFile, addRegularToFile, removeFromFile
    case keyInFile, addToLink, contentsOfDirectory, contentsOfLink
    case destinationOfFile, destinationOfDirectory
    case addNameless, addRegularWithoutName, preferredNil, preferredEmpty
    case attributesWithoutType, attributesWithoutPermissions
    case addToItself, addCycle

    func commit() {
      let file = FileWrapper("", named: "f")
      let directory = FileWrapper(directoryWithFileWrappers: [:])
      directory.preferredFilename = "d"
      let link = FileWrapper(symbolicLinkWithDestinationURL: URL(filePath: "x"))
      switch self {
      case .addToFile: file.addFileWrapper(FileWrapper("", named: "x"))
      case .addRegularToFile: file.addRegularFile(withContents: Data(), preferredFilename: "x")
      case .removeFromFile: file.removeFileWrapper(link)
      case .keyInFile: _ = file.keyForChildFileWrapper(link)
      case .addToLink: link.addFileWrapper(file)
      case .contentsOfDirectory: _ = directory.regularFileContents
      case .contentsOfLink: _ = link.regularFileContents
      case .destinationOfFile: _ = file.symbolicLinkDestinationURL
      case .destinationOfDirectory: _ = directory.symbolicLinkDestinationURL
      case .addNameless: directory.addFileWrapper(FileWrapper())
      case .addRegularWithoutName: directory.addRegularFile(withContents: Data(), preferredFilename: "")
      case .preferredNil: file.preferredFilename = nil
      case .preferredEmpty: file.preferredFilename = ""
      case .attributesWithoutType:
        file.fileAttributes = [FileAttributeKey.posixPermissions.rawValue: 0o600]
      case .attributesWithoutPermissions:
        file.fileAttributes = [FileAttributeKey.type.rawValue: FileAttributeType.typeRegular]
      case .addToItself: directory.addFileWrapper(directory)
      case .addCycle:
        let inner = FileWrapper(directoryWithFileWrappers: [:])
        inner.preferredFilename = "inner"
        directory.addFileWrapper(inner)
        inner.addFileWrapper(directory)
      }
    }
  }

  @Test(arguments: Misuse.allCases)
  func `FW5: traps`(misuse: Misuse) async {
    await #expect(processExitsWith: .failure) { [misuse] in misuse.commit() }
  }

  @Test func `FW5: has no children, if it is a file or a link`() {
    #expect(FileWrapper(regularFileWithContents: Data()).fileWrappers == nil)
    #expect(FileWrapper(symbolicLinkWithDestinationURL: URL(filePath: "x")).fileWrappers == nil)
    #expect(FileWrapper(directoryWithFileWrappers: [:]).fileWrappers == [:])
  }

  @Test func `FW5: does not trap where it is what it is used for`() async {
    await #expect(processExitsWith: .success) {
      let file = FileWrapper("", named: "f")
      let directory = FileWrapper(directoryWithFileWrappers: ["f": file])
      _ = directory.fileWrappers
      file.preferredFilename = "g"
      file.fileAttributes = file.fileAttributes
      directory.removeFileWrapper(file)
    }
  }
}

@Suite("A method that throws")
struct ThrowingMisuseTests {
  @Test func `says that the wrapper is of another kind`() throws {
    let file = FileWrapper(regularFileWithContents: Data())
    let directory = FileWrapper(directoryWithFileWrappers: [:])
    let uses: [() throws -> Void] = [
      { _ = try directory.contents() }, { try directory.forEachChunk { _ in } },
      { try directory.withRandomAccess { _, _ in } }, { _ = try file.children() },
      { _ = try file.child(named: "x") }, { _ = try file.childNames() }, { _ = try file.childCount() },
    ]
    for use in uses {
      expect(\FilePackageError.code, .wrongKind) { try use() }
    }
    #expect(directory.regularFileSize == nil)
  }
}
