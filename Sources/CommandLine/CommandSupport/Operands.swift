import ArgumentParser
import FilePackages

/// Runs `body` with each operand, and continues after an operand that fails. A signal that comes too late to
/// cancel the work on one operand ends the program before the next one.
///
/// - Parameter isAll: whether a single path stands for the whole command line.
/// - Throws: the error of `body` for a single operand; for several, the greatest exit status of all.
package func forEachOperand(
  _ paths: [String], isAll: Bool = true, _ body: (String) async throws -> Void
) async throws {
  if let path = paths.first, paths.count == 1, isAll { return try await body(path) }
  var status: Int32 = 0
  for path in paths {
    Interruption.endProgram(saying: "'\(display(path))' and the paths after it were left out")
    do {
      try await body(path)
    } catch let code as ExitCode {
      status = max(status, code.rawValue)
    } catch {
      StandardError.write("docpkg: \(errorMessage(of: error))\(placeholderHint(of: error))\n")
      status = max(status, ExitStatus.failed)
    }
  }
  if status != 0 { throw ExitCode(status) }
}

/// A report and its path, as one JSON object.
package struct Located<Report: Encodable>: Encodable {
  var path: String
  var report: Report

  package init(path: String, report: Report) { (self.path, self.report) = (path, report) }

  private enum CodingKeys: String, CodingKey { case path }

  package func encode(to encoder: any Encoder) throws {
    try report.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(path, forKey: .path)
  }
}
