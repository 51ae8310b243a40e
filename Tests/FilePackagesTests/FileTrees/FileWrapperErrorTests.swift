import DurableIO
import FilePackages
import FoundationEssentials
import Glibc
import SystemPackage
import TestSupport
import Testing

/// Apple's interfaces throw a `CocoaError` with Apple's code and the library's error beneath it.
@Suite("An error of a wrapper", .tags(.process), .temporaryDirectory)
struct FileWrapperErrorTests {
  @Test(
    arguments: [
      (Errno.noSpace, CocoaError.Code.fileWriteOutOfSpace, 640),
      (.readOnlyFileSystem, .fileWriteVolumeReadOnly, 642),
      (.permissionDenied, .fileWriteNoPermission, 513),
      (.notPermitted, .fileWriteNoPermission, 513),
      (.ioError, .fileWriteUnknown, 512),
    ])
  func `says of writing what the system said`(reason: Errno, code: CocoaError.Code, number: Int) throws {
    let faulty = FaultyDisk(PosixDisk(), .operation(.createFile), with: reason)
    let error = #expect(throws: FilePackageError.self) {
      try FileWrapper("1").write(to: scratch.path("x"), options: [], original: nil, on: faulty.disk)
    }
    let cocoa = try #require(error?.cocoaError)
    #expect(cocoa.code == code && cocoa.code.rawValue == number)
    let beneath = try #require(cocoa.userInfo["NSUnderlyingError"] as? FilePackageError)
    #expect(beneath.systemErrorNumber == reason.rawValue && beneath.call != nil)
    #expect(cocoa.userInfo["NSFilePath"] as? String == scratch.path("x").string)
    #expect(try scratch.names() == [])
  }

  @Test(arguments: ["short", "longer than it was before"])
  func `says that another program changed the length of a file while it was read`(text: String) throws {
    let base = try CrashDisk(["Text.txt": "as it was"])
    let disk = CountingDisk(base) { (event) throws(SystemError) in
      guard event.operation == .read else { return }
      let file = try base.openFileForWriting("Text.txt", in: base.openDirectory(at: "/"))
      try base.resize(file, to: 0)
      try base.write(Array(text.utf8), to: file, at: 0)
    }
    let file = try FileWrapper("/Text.txt", on: disk)
    expect(\FilePackageError.code, .changedOnDisk) { try file.contents() }
    let copy = try CrashDisk()
    expect(\FilePackageError.code, .changedOnDisk) {
      try file.write(to: "/Copy.txt", options: .atomic, original: nil, on: copy)
    }
    #expect(copy.tree == [:])
  }

  @Test func `says that there is no folder to write to`() throws {
    let error = #expect(throws: CocoaError.self) {
      try FileWrapper("1").write(to: scratch.url("missing/x"), originalContentsURL: nil)
    }
    #expect(error?.code == .fileNoSuchFile && error?.code.rawValue == 4)
    #expect(error?.userInfo["NSUnderlyingError"] is FilePackageError)
  }

  @Test func `says 257 and 513 where permissions are missing`() async throws {
    try scratch.make("A", ["x": .file([1], mode: 0o000)])
    chmod(scratch.path.string, 0o755)
    let path = scratch.path.string
    await #expect(processExitsWith: .success) { [path = path as String] in
      // The superuser may do everything, so the child process runs as user 65534.
      if geteuid() == 0 { #expect(seteuid(65534) == 0) }
      let url = URL(filePath: path + "/A/x")
      let read = #expect(throws: CocoaError.self) { try FileWrapper(url: url, options: .immediate) }
      #expect(read?.code == .fileReadNoPermission && read?.code.rawValue == 257)
      #expect((read?.userInfo["NSUnderlyingError"] as? FilePackageError)?.code == .permissionDenied)
      if getuid() == 0 {
        let write = #expect(throws: CocoaError.self) {
          try FileWrapper("1").write(to: URL(filePath: path + "/new"), originalContentsURL: nil)
        }
        #expect(write?.code == .fileWriteNoPermission && write?.code.rawValue == 513)
      }
    }
  }

  @Test func `is none that folders are without write permission, the top one included`() async throws {
    try scratch.make("A", ["F": ["x": "1"]])
    for folder in ["A/F", "A"] { chmod(scratch.path(folder).string, 0o555) }
    chmod(scratch.path.string, 0o777)
    let path = scratch.path.string
    await #expect(processExitsWith: .success) { [path = path as String] in
      if geteuid() == 0 { #expect(seteuid(65534) == 0) }
      #expect(throws: Never.self) {
        try FileWrapper(url: URL(filePath: path + "/A"))
          .write(to: URL(filePath: path + "/B"), originalContentsURL: nil)
      }
    }
    for folder in ["B/F", "B"] { #expect(try scratch.status(folder).mode == 0o555) }
    #expect(try scratch.tree("B") == ["F": ["x": "1"]])
    for folder in ["A", "A/F", "B", "B/F"] { chmod(scratch.path(folder).string, 0o755) }
  }

  @Test func `names the document, the child and the reason in one sentence`() throws {
    let top = try scratch.wrapper("Trip", ["Images": ["7.png": "1"]])
    let child = try #require(top.fileWrappers?["Images"]?.fileWrappers?["7.png"])
    try scratch.overwrite("Trip/Images/7.png", "somebody else's")
    let error = #expect(throws: FilePackageError.self) { try child.contents() }
    #expect(error?.description.hasPrefix("The document 'Trip' could not be read:") == true)
    #expect(error?.description.contains("'Images/7.png'") == true)
    #expect(error?.cocoaError.userInfo["NSLocalizedDescription"] as? String == error?.description)
  }
}
