package import DurableIO
package import PackageFormat
import SystemPackage

extension FilePackageError {
  package init(
    _ code: Code, _ operation: Operation, _ node: StoredNode, activity: String? = nil, reason: String? = nil
  ) {
    let isDocument = node.path.isRoot || node.location.isOfOneFile
    self.init(
      code, operation, document: FileName(isDocument ? node.filePath : node.location.path).string,
      child: isDocument ? nil : node.path.display, activity: activity, reason: reason)
  }

  package init(
    _ error: SystemError, _ operation: Operation, _ node: StoredNode, activity: String? = nil
  ) {
    self.init(Code(error.code), operation, node, activity: activity)
    call = error.call
    systemErrorNumber = error.code.rawValue
    reason = error.reason
  }

  /// Makes the error of a step that failed with an error of any kind: this library's own ones stay as they are.
  package init(any error: any Error, _ operation: Operation, _ node: StoredNode, activity: String? = nil) {
    switch error {
    case let error as FilePackageError: self = error
    case let error as SystemError: self.init(error, operation, node, activity: activity)
    default: self.init(.inputOutput, operation, node, activity: activity)
    }
  }
}

extension StoredNode {
  /// Makes calls about the node; their errors then name the node, the operation and the activity.
  package func attempt<Result: ~Copyable>(
    _ operation: FilePackageError.Operation, _ activity: String? = nil, _ body: () throws -> Result
  ) throws(FilePackageError) -> Result {
    do {
      return try body()
    } catch {
      throw FilePackageError(any: error, operation, self, activity: activity)
    }
  }
}

extension FilePackageError {
  /// Makes the error of reading the content for the child at `path`, of any origin.
  package init(
    renaming error: FilePackageError, to path: PackagePath, of location: Location, _ operation: Operation
  ) {
    self = error
    self.operation = operation
    document = FileName(location.path).string
    child = path.isRoot ? nil : path.display
    activity = "reading the contents for"
  }

  /// Returns the error of a tree that was about to become the document at `location`.
  package func of(_ location: Location) -> FilePackageError {
    var error = self
    if document.isEmpty { error.document = FileName(location.path).string }
    return error
  }
}
