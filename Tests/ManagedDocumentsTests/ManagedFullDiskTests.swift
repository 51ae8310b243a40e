import Foundation
import ManagedDocuments
import SystemPackage
import TestSupport
import Testing

@Suite("A document with a database on a full disk", .tags(.process), .temporaryDirectory)
struct ManagedFullDiskTests {
  private static let canMount = Program.succeeds(
    "d=$(mktemp -d) && unshare -m mount -t tmpfs -o size=1m none $d; s=$?; rmdir $d; exit $s")

  /// The document is on a file system of 4 MiB, which then gets more space.
  @Test(.enabled(if: canMount, "this needs the right to mount"))
  func `refuses edits in one sentence, and keeps all before them`() async throws {
    let edits = (1...40).map { "fill file\($0) 190000" }
    let first = ["add 1 Rösti", "save"] + edits + ["rows", "unsaved"]
    let second = ["rows", "unsaved", "fill file41 190000", "add 2 Soup", "save", "rows"]
    let run = try await waiting {
      try Program(path: "/usr/bin/unshare").run(
        ["-m", "sh", "-ec", Self.script, fixture.folder.string, Program("bookkeeper").path]
          + [first, second].map { $0.joined(separator: "\n") })
    }
    // Closing saves the edits before: that takes less space than the edit that failed.
    let lines = run.output.split(separator: "\n").map(String.init)
    let failed = lines.filter { $0.hasPrefix("failed fill") }.map { $0.drop { $0 != ":" } }
    #expect(failed.count > 10 && failed.count < 40, "\(run.output)\(run.errors)")
    let sentences = failed.map { $0.replacing(/save of [0-9:]+\./, with: "save of 23:41.") }
    #expect(
      Set(sentences) == [
        ": The document 'Recipes.recipebook' could not be saved: there is no space left on the device (writing 'StoreContent/persistentStore'). The document on disk is as after the save of 23:41. Free some space and try again."
      ])
    #expect(
      lines.filter { $0.hasPrefix("done rows") } == [
        "done rows: 1=Rösti/1", "done rows: 1=Rösti/1", "done rows: 1=Rösti/1 2=Soup/1",
      ])
    #expect(lines.filter { $0.hasPrefix("done unsaved") } == ["done unsaved: true", "done unsaved: false"])
    #expect(lines.contains("done save") && lines.last == "closed", "\(lines.suffix(5))")
  }

  private static let script = """
    folder=$0 program=$1
    mount -t tmpfs -o size=4m none "$folder"
    printf '%s\\n' "$2" | "$program" "$folder/Recipes.recipebook" talk || true
    mount -o remount,size=64m "$folder"
    printf '%s\\n' "$3" close | "$program" "$folder/Recipes.recipebook" talk
    """
}
