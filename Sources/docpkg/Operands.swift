import ArgumentParser
import FilePackages

/// Runs `body` with each operand, and continues after an operand that fails. A signal that comes too late to
/// cancel the work on one operand ends the program before the next one.
///
/// - Throws: the error of `body` for a single operand; for several, the greatest exit status of all.
func forEachOperand(_ paths: [String], _ body: (String) async throws -> Void) async throws {
  if let path = paths.first, paths.count == 1 { return try await body(path) }
  var status: Int32 = 0
  for path in paths {
    Interruption.endProgram(saying: "'\(display(path))' and the paths after it were left out")
    do {
      try await body(path)
    } catch let code as ExitCode {
      status = max(status, code.rawValue)
    } catch {
      StandardError.write("docpkg: \(errorMessage(of: error))\(await placeholderHint(of: error))\n")
      status = max(status, ExitStatus.failed)
    }
  }
  if status != 0 { throw ExitCode(status) }
}

/// The documents that operands stand for: a folder of documents stands for all documents in it.
struct DocumentOperands {
  private var paths: [String] = []
  private var libraries: [Library] = []
  /// Whether the only operand is one document.
  let isOne: Bool

  init(_ operands: [String]) async throws {
    for path in operands {
      if let library = try await Library(at: path) {
        libraries.append(library)
        paths += library.documents.map(\.path)
      } else {
        paths.append(path)
      }
    }
    isOne = libraries.isEmpty && operands.count == 1
  }

  /// Runs `body` with each document, as `forEachOperand(_:_:)` does.
  ///
  /// It then says which folders have no documents, and which could not be searched.
  ///
  /// - Throws: the error of `body` for a single document; for several, the greatest exit status of all.
  func forEach(_ body: (String) async throws -> Void) async throws {
    var status: Int32 = 0
    if isOne || !paths.isEmpty {
      do {
        try await forEachOperand(paths, body)
      } catch let code as ExitCode {
        status = code.rawValue
      }
    }
    for library in libraries {
      if library.documents.isEmpty {
        StandardError.write("docpkg: '\(display(library.path))' has no documents in it\n")
      }
      status = max(status, library.reportProblems())
    }
    if status != 0 { throw ExitCode(status) }
  }
}

/// A report and its path, as one JSON object.
struct Located<Report: Encodable>: Encodable {
  var path: String
  var report: Report

  private enum CodingKeys: String, CodingKey { case path }

  func encode(to encoder: any Encoder) throws {
    try report.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(path, forKey: .path)
  }
}
