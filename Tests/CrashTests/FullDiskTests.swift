import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite(
  "A save on a file system that is full", .tags(.crash, .process),
  .enabled(
    if: Program.canMount, "this needs the right to mount a file system, loop devices and mkfs.ext4"),
  .temporaryDirectory)
struct FullDiskTests {
  @Test(arguments: Way.sound)
  func `fails for want of space with the old document, or saves the new one`(_ way: Way) async throws {
    let step = Points.all ? 4 : 40
    try await waiting {
      let run = try runOnDisk("-s 8M", "-b 1024", "step=\(step)\n" + Self.script, way)
      var (failed, saved, bad) = (0, 0, 0)
      for line in run.output.split(separator: "\n") {
        let words = line.split(separator: " ").map(String.init)
        let (status, before, after, later) = (words[1], Int(words[2]), Int(words[3]), Int(words[4]))
        if status == "0", let before, after == before + 1, later == before + 2 {
          saved += 1
        } else if status == "noSpace:", before != nil, after == before, later == before.map({ $0 + 2 }) {
          failed += 1
        } else {
          bad += 1
          Issue.record("with \(words[0]) KB free: \(line)")
        }
      }
      #expect(failed > 0 && saved > 0, "\(run.output)")
      print("full disk (\(way.rawValue)): \(failed) saves failed, \(saved) succeeded, \(bad) bad")
    }
  }

  /// A script that prints, for each free space in KB, the save's status or code, and the generations.
  ///
  /// There are three: the generation before, after the save, and after another save once there is space.
  private static let script = """
    state() { "$saver" check disk/D.pkg | sed -n 's/^state //p'; }
    free=0
    while [ $free -le 240 ]; do
      before=$(state)
      sync
      fill=$(($(stat -f -c '%a * %S / 1024' disk) - free - 32))
      dd if=/dev/zero of=disk/fill bs=1024 count=$fill conv=fsync status=none || true
      # The file system takes some blocks for the file's own extents.
      while [ $(($(stat -f -c '%a * %S / 1024' disk))) -gt $free ]; do
        dd if=/dev/zero bs=1024 count=$(($(stat -f -c '%a * %S / 1024' disk) - free)) conv=fsync,notrunc \\
          oflag=append of=disk/fill status=none 2>/dev/null || break
      done
      if "$saver" save disk/D.pkg $((before + 1)) $flags >/dev/null 2>errors; then status=0
      else status=$(cut -d' ' -f1 errors); fi
      after=$(state)
      rm disk/fill
      "$saver" save disk/D.pkg $((before + 2)) $flags >/dev/null
      echo "$free $status $before $after $(state) $(ls -A disk | grep -v -e lost+found -e '^D.pkg$')"
      free=$((free + step))
    done
    """

  @Test(.tracing, arguments: [Way.log, .later])
  func `does not keep a committed save from being read`(_ way: Way) async throws {
    // The save is read from the log, since publishing it needs space (W5).
    try await waiting {
      let run = try runOnDisk("-s 8M", "-b 1024", Self.deathScript, way)
      #expect(
        run.output.split(separator: "\n") == ["137 state 2", "137 state 2", "137 state 2"], "\(run.output)")
      print("full disk (\(way.rawValue)): 3 packages with a save to be published opened")
    }
  }

  /// A script that kills a save at three of its first changes of a visible name, and fills the disk.
  ///
  /// It prints the end of the next save and the generation that a reader gets.
  private static let deathScript = """
    for number in $(renames | sed -n '1p;2p;5p'); do
      kill_save $number
      dd if=/dev/zero of=disk/fill bs=1024 status=none 2>/dev/null || true
      sync
      dd if=/dev/zero of=disk/rest bs=1024 conv=fsync status=none 2>/dev/null || true
      echo "$status $("$saver" check disk/D.pkg | head -n 1)"
      rm -f disk/fill disk/rest
      "$saver" save disk/D.pkg 3 $flags >/dev/null
    done
    """
}

/// Runs a script of the shell with a package on a file system of its own, `disk/D.pkg`.
///
/// In the script, `renames` prints the numbers of a save's first changes of a visible name. `kill_save` makes the
/// package anew, and kills a save at a call of that number.
func runOnDisk(_ size: String, _ blocks: String, _ script: String, _ way: Way) throws -> Run {
  let start = """
    saver=$0; breaker=$1; cd "$2"; shift 2; flags=$*
    truncate \(size) image
    mkfs.ext4 -q -m 0 \(blocks) image
    mkdir disk
    mount -o loop image disk
    "$saver" init disk/D.pkg 12
    renames() {
      "$breaker" calls 30 "$PWD/disk" 0 none "$saver" save "$PWD/disk/D.pkg" 2 $flags >/dev/null
      grep ' renameat2 ' calls | cut -d' ' -f1
    }
    kill_save() {
      rm -rf disk/D.pkg
      "$saver" init disk/D.pkg 12
      "$breaker" log 30 "$PWD/disk" $1 kill "$saver" save "$PWD/disk/D.pkg" 2 $flags >/dev/null &&
        status=0 || status=$?
    }

    """
  let programs = [Program.saver.path, Program.breaker.path, folder.string]
  let run = try Program(path: "/usr/bin/unshare").run(
    ["-m", "sh", "-ec", start + script] + programs + way.flags)
  return try require(run, "a script on a disk of its own")
}
