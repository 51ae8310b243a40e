import ArgumentParser
import CommandSupport
import FilePackages

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
    do {
      try await forEachOperand(paths, isAll: isOne, body)
    } catch let code as ExitCode {
      status = code.rawValue
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
