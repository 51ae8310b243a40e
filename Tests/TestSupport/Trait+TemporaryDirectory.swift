package import Foundation
import Synchronization
package import SystemPackage
package import Testing

/// The directory of the test that runs, which has the trait `temporaryDirectory`.
package var folder: FilePath {
  guard let path = TemporaryDirectoryTrait.path else {
    preconditionFailure("the test has no trait 'temporaryDirectory'")
  }
  return path
}

/// The URL of a name in the directory of the test that runs.
package func url(_ name: String) -> URL { URL(filePath: folder.appending(name).string) }

/// Does `action` at the end of the test that runs, which has the trait `temporaryDirectory`.
package func atEndOfTest(_ action: @escaping @Sendable () -> Void) {
  guard let ending = TemporaryDirectoryTrait.ending else {
    preconditionFailure("the test has no trait 'temporaryDirectory'")
  }
  ending.actions.withLock { $0.append(action) }
}

/// The actions at the end of a test.
final class TestEnding: Sendable {
  let actions = Mutex<[@Sendable () -> Void]>([])
}

/// Gives each test a directory of its own, `folder`, and removes it afterwards.
package struct TemporaryDirectoryTrait: SuiteTrait, TestTrait, TestScoping {
  @TaskLocal static var path: FilePath?
  @TaskLocal static var ending: TestEnding?

  package var isRecursive: Bool { true }

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing body: @concurrent @Sendable () async throws -> Void
  ) async throws {
    let ending = TestEnding()
    defer { for action in ending.actions.withLock({ $0 }) { action() } }
    try await withTemporaryDirectory { path in
      try await Self.$path.withValue(path) { try await Self.$ending.withValue(ending) { try await body() } }
    }
  }
}

extension Trait where Self == TemporaryDirectoryTrait {
  package static var temporaryDirectory: Self { Self() }
}
