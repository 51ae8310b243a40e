import Documents
import DurableIO
import FilePackages

/// Standard input, line by line, for whoever does other things meanwhile.
struct LineInput {
  private let thread = BlockingThread()

  /// The next line; nil at the end.
  func next() async -> String? { await thread.run { readLine() } }
}
