import TestSupport
import Testing

@Suite(
  "A committed save on a medium that cannot be written", .tags(.crash, .process),
  .enabled(
    if: Program.canMount, "this needs the right to mount a file system, loop devices and mkfs.ext4"),
  .tracing, .temporaryDirectory)
struct ReadOnlyTests {
  @Test(arguments: [Way.log, .later])
  func `is read as the new document, and published once the medium can be written`(_ way: Way) async throws {
    // Opening reads the save from the log and writes nothing (W5).
    try await waiting {
      let run = try runOnDisk("-s 16M", "", Self.script, way)
      #expect(
        run.output.split(separator: "\n") == [
          "killed 137", "state 2", "nothing was written", "saving 2", "state 2", "state 3",
        ], "\(run.output)\(run.errors)")
    }
  }

  /// A script that kills a save before its first change of a visible name, and makes the file system read-only.
  ///
  /// Then it reads, tries to save, and makes the file system writable again.
  private static let script = """
    kill_save $(renames | head -n 1)
    echo "killed $status"
    mount -o remount,ro disk
    listing() { find disk/D.pkg -printf '%p %y %m %T@ %C@ %i %s\\n' | sort; }
    listing > before
    "$saver" check disk/D.pkg | head -n 1
    listing | cmp - before && echo 'nothing was written'
    "$saver" save disk/D.pkg 3 $flags >/dev/null 2>&1 && status=0 || status=$?
    echo "saving $status"
    mount -o remount,rw disk
    "$saver" check disk/D.pkg | head -n 1
    "$saver" save disk/D.pkg 3 $flags >/dev/null
    "$saver" check disk/D.pkg | head -n 1
    """
}
