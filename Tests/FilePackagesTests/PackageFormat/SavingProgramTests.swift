import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

@Suite("The program that saves")
struct SavingProgramTests {
  @Test func `is this process where nothing else is said`() async throws {
    let disk = try await CrashCheck.disk(["Text.txt": "text"], metadata: true)
    let metadata = try await PackageStore.open(CrashCheck.path, on: disk).metadata()
    let name = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().lastPathComponent
    #expect(metadata?.generator == name)
    #expect(metadata?.generatorVersion == FilePackagesVersion.current)
  }

  @Test func `is the one that the application names, in the documents that it makes, saves and copies`()
    async throws
  {
    let program = SavingProgram(name: "Sketch", version: "2.1")
    let disk = try CrashDisk()
    let tree: TestTree = ["Text.txt": "text"]
    let (made, _) = try await PackageStore.create(
      tree.wrapper, CrashCheck.path, contentType: UTType(exportedAs: "com.example.trip"), on: disk,
      by: program)
    #expect(try await made.metadata()?.generator == "Sketch")
    try await made.save("Text.txt", "new")
    _ = try await made.copy(to: URL(filePath: "/Copy.pkg"))
    for path in [CrashCheck.path, "/Copy.pkg"] {
      let metadata = try await PackageStore.open(path, on: disk).metadata()
      #expect(metadata?.generator == "Sketch" && metadata?.generatorVersion == "2.1")
    }
    let later = try await PackageStore.open(CrashCheck.path, on: disk)
    await later.setProgram(SavingProgram(name: "Other", version: "1"))
    try await later.save("Text.txt", "newer")
    #expect(try await later.metadata()?.generator == "Other")
  }
}
