import DurableIO
import FilePackages
import FoundationEssentials
import Glibc
package import SystemPackage

/// A benchmark of the export and the import of a package, as whole commands.
package struct ExportBenchmark {
  package var schedule = RoundRobin()
  /// The path of `docpkg`.
  package var command: FilePath

  package init(command: FilePath) {
    self.command = command
  }

  /// The tasks, in the order of the results.
  package enum Task: String, CaseIterable, Sendable {
    case zip
    case tarZstd = "tar.zst"
    case update
    case importZip = "import-zip"
    case importTarZstd = "import-tar.zst"
  }

  /// Measures each task with a package of about `bytes`.
  ///
  /// - Throws: `BenchmarkError` as `SaveBenchmark.run(_:in:progress:)`.
  package func run(
    _ tasks: [Task], _ mixture: Mixture, bytes: Int, in folder: FilePath,
    progress: (String) -> Void = { _ in }
  ) async throws(BenchmarkError) -> [Measurement] {
    try await BenchmarkFolder.with(in: folder, progress) { (made) throws(SystemError) in
      progress("making \(bytes >> 20) MiB of \(mixture.rawValue)")
      try mixture.make("Package", bytes: bytes, in: made.path)
      var results: [Measurement] = []
      for task in tasks {
        let scene = ExportFixture(folder: made.path, command: command.string)
        var trials: [Trial] = []
        do {
          let (workloads, prepare) = scene.workloads(task)
          try prepare()
          let work = Work("export", size: bytes, subject: "\(task.rawValue) of \(mixture.rawValue)")
          for workload in workloads {
            trials.append(await workload.trial(work, in: made.path))
          }
          sync()
          results += await schedule.run(trials, in: made, progress)
        } catch {
          var failed = Measurement(Work("export", subject: task.rawValue), strategy: "docpkg")
          failed.problem = sentence(of: error)
          results.append(failed)
        }
      }
      return results
    }
  }
}

extension ExportBenchmark {
  /// Returns the names of the ways to do a task.
  package static func strategies(of task: Task) -> [String] {
    ExportFixture(folder: "", command: "").workloads(task).all.map(\.name)
  }
}

/// The folder that the workloads of an export share, and their work there.
private struct ExportFixture {
  let folder: FilePath
  let command: String

  /// Returns the workloads, and the preparation for them.
  func workloads(_ task: ExportBenchmark.Task) -> (all: [CommandWorkload], prepare: () throws -> Void) {
    switch task {
    case .zip:
      (
        [
          export("docpkg", command, ["export", "Package", "out.zip", "--quiet"], durable: true),
          export("zip", "zip", ["-qr", "-6", "out.zip", "Package"]),
          export("bsdtar", "bsdtar", ["--format", "zip", "-cf", "out.zip", "Package"]),
          export("7z", "7z", ["a", "-tzip", "-bd", "out.zip", "Package"]),
          export(
            "python", "python3",
            ["-c", "import shutil; shutil.make_archive('out', 'zip', '.', 'Package')"]),
        ], {}
      )
    case .tarZstd:
      (
        [
          export("docpkg", command, ["export", "Package", "out.tar.zst", "--quiet"], durable: true),
          export("tar | zstd", "sh", ["-c", "tar -c Package | zstd -q -T0 > out.tar.zst"]),
          export("bsdtar", "bsdtar", ["--zstd", "-cf", "out.tar.zst", "Package"]),
        ], {}
      )
    case .update:
      (
        [
          export("docpkg", command, ["export", "Package", "out.zip", "--quiet"], durable: true),
          updating,
          copying,
          replacing,
        ], prepareUpdate
      )
    case .importZip:
      (
        [
          importing("docpkg", command, ["import", "in.zip", "out", "--quiet"], durable: true),
          importing("unzip", "unzip", ["-q", "in.zip", "-d", "out"]),
          importing("bsdtar", "sh", ["-c", "mkdir out && bsdtar -xf in.zip -C out"]),
          importing(
            "unzip + sync", "sh", ["-c", "unzip -q in.zip -d out && find out -type f -exec sync {} +"],
            durable: true),
        ], { try run("zip", ["-qr", "-6", "in.zip", "Package"]) }
      )
    case .importTarZstd:
      (
        [
          importing("docpkg", command, ["import", "in.tar.zst", "out", "--quiet"], durable: true),
          importing("tar", "sh", ["-c", "mkdir out && tar -xf in.tar.zst -C out"]),
          importing("bsdtar", "sh", ["-c", "mkdir out && bsdtar -xf in.tar.zst -C out"]),
          importing(
            "tar + sync", "sh",
            ["-c", "mkdir out && tar -xf in.tar.zst -C out && find out -type f -exec sync {} +"],
            durable: true),
        ], { try run("sh", ["-c", "tar -c Package | zstd -q -T0 > in.tar.zst"]) }
      )
    }
  }

  private func run(_ program: String, _ arguments: [String]) throws {
    try ChildProcess(directory: folder.string).run(program, arguments)
  }

  // MARK: Exports

  private func export(
    _ name: String, _ program: String, _ arguments: [String], durable: Bool = false
  ) -> CommandWorkload {
    CommandWorkload(
      name: name, program: program, arguments: arguments, arrange: clear, verify: verifyArchive,
      durable: durable)
  }

  private func clear() throws { try run("rm", ["-rf", "out.zip", "out.tar.zst", "out"]) }

  /// Unpacks the new archive with a program that takes no part, and compares everything.
  private func verifyArchive() throws {
    try run(
      "sh", ["-c", "rm -rf out && mkdir out && bsdtar -xf out.* -C out && diff -r Package out/Package"])
  }

  /// Makes an archive, then changes one child.
  private func prepareUpdate() throws {
    try clear()
    try run(command, ["export", "Package", "earlier.zip", "--quiet"])
    try run("sh", ["-c", "f=$(find Package -type f | sort | tail -1); echo more >> \"$f\""])
  }

  /// The lower bound of every export: a copy of the bytes alone.
  private var copying: CommandWorkload {
    var workload = export(
      "cp + sync", "sh", ["-c", "cp earlier.zip out.zip && sync out.zip"], durable: true)
    workload.verify = { try run("cmp", ["earlier.zip", "out.zip"]) }
    return workload
  }

  /// A copy that takes the place of an archive in one step, as an update does. The kernel then frees the replaced one.
  private var replacing: CommandWorkload {
    var workload = copying
    workload.name = "cp + sync + mv"
    workload.arguments = ["-c", "cp earlier.zip new.zip && sync new.zip && mv new.zip out.zip && sync ."]
    workload.arrange = updating.arrange
    return workload
  }

  private var updating: CommandWorkload {
    var workload = export("update", command, ["export", "Package", "out.zip", "--update", "--quiet"])
    workload.arrange = {
      try clear()
      try run("sh", ["-c", "cp earlier.zip out.zip && sync out.zip"])
    }
    workload.durable = true
    return workload
  }

  // MARK: Imports

  private func importing(
    _ name: String, _ program: String, _ arguments: [String], durable: Bool = false
  ) -> CommandWorkload {
    CommandWorkload(
      name: name, program: program, arguments: arguments, arrange: clear,
      // Some imports take the top folder for the package.
      verify: {
        try run(
          "sh",
          ["-c", "if [ -e out/Package ]; then diff -r Package out/Package; else diff -r Package out; fi"])
      },
      durable: durable)
  }
}
