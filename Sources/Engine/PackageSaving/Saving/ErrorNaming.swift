import DurableIO
import FileTrees
import PackageFormat
import SystemPackage

/// A part of a save whose errors name the document and the child.
protocol ErrorNaming {
  var location: Location { get }
  var operation: FilePackageError.Operation { get }
}

extension ErrorNaming {
  func node(_ path: PackagePath) -> StoredNode { StoredNode(location: location, path: path) }

  func failure(
    _ code: FilePackageError.Code, _ path: PackagePath, reason: String? = nil
  ) -> FilePackageError {
    FilePackageError(code, operation, node(path), reason: reason)
  }

  func failure(_ problem: NameTrial.Problem, _ path: PackagePath) -> FilePackageError {
    failure(problem.code, path, reason: problem.words)
  }

  /// Makes calls about the node at `path`; their errors then name the node, the operation and the activity.
  func attempt<Result: ~Copyable>(
    _ path: PackagePath, _ activity: String? = nil, _ body: () throws -> Result
  ) throws(FilePackageError) -> Result {
    try node(path).attempt(operation, activity, body)
  }

  /// Returns the bytes for `path`, in memory.
  func inMemory(
    _ contents: FileContents, for path: PackagePath
  ) throws(FilePackageError) -> FileContents {
    do {
      return .data(try contents.data())
    } catch {
      let failure = FilePackageError(any: error, operation, node(path))
      throw FilePackageError(renaming: failure, to: path, of: location, operation)
    }
  }

  /// Returns the destination of the link for `path`.
  func destination(
    of link: PackageSnapshot.Node, at path: PackagePath
  ) throws(FilePackageError) -> [UInt8] {
    do {
      return try link.destination()
    } catch {
      throw FilePackageError(renaming: error, to: path, of: location, operation)
    }
  }
}
