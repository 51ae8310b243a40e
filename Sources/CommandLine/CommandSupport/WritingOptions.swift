import ArgumentParser
package import FilePackages

/// The options of every command that writes.
package struct WritingOptions: ParsableArguments {
  @Flag(
    name: [.customShort("n"), .long], help: "Print the plan, one line for each step, and write nothing.")
  package var dryRun = false

  @Flag(name: .long, help: "Print the report, or with --dry-run the plan, as JSON.")
  package var json = false

  @Flag(name: .shortAndLong, help: "Print nothing.")
  package var quiet = false

  @Flag(name: .shortAndLong, help: "Print the number of waits for the disk, too.")
  package var verbose = false

  package init() {}

  /// Prints a plan.
  package func report(_ plan: SavePlan) throws {
    try report(plan.listed)
  }

  /// Prints the steps of a plan.
  package func report(_ plan: [PlannedStep]) throws {
    if quiet { return }
    if json { return try printJSON(["plan": plan]) }
    var output = StandardOutput()
    if plan.isEmpty { output.line("nothing to save") }
    for step in plan { output.line(step.description) }
  }

  /// Prints the plan of a new document at a path.
  package func report(_ plan: [PlannedStep], making path: String) throws {
    let lines = ["make \(display(path))"] + plan.map(\.description)
    try tell(Located(path: path, report: ["plan": plan]), lines.joined(separator: "\n"))
  }

  /// Prints a save's report in one line, and its warnings.
  package func report(_ report: SaveReport, of path: String) throws {
    warn(report.warnings)
    try tell(report, line(of: report, path))
  }

  /// Prints the report of a new document, which has its path in JSON.
  package func report(_ report: SaveReport, making path: String) throws {
    warn(report.warnings)
    try tell(Located(path: path, report: report), line(of: report, path))
  }

  private func line(of report: SaveReport, _ path: String) -> String {
    let waits = verbose ? ", \(counted(report.synchronizations, "synchronization"))" : ""
    return "\(display(path)): \(report)\(waits)"
  }

  /// Prints a report as JSON or as these lines. With `--dry-run` the report is the command's result.
  package func tell(_ report: some Encodable, _ lines: String...) throws {
    if quiet { return }
    let purpose = dryRun ? StandardOutput.Purpose.data : .report
    if json { return try printJSON(report, as: purpose) }
    var output = StandardOutput(purpose)
    for line in lines { output.line(line) }
  }
}

/// Prints the warnings of a command that succeeded.
package func warn(_ warnings: [SaveWarning]) {
  for warning in warnings { StandardError.write("docpkg: warning: \(warning)\n") }
}
