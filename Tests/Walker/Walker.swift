import Documents
import DurableIO
import FoundationEssentials
import Glibc
import ImageNotes
import Synchronization

// Edits and saves one document, and notes which functions run: a program with counters, for Tests/long/walk.

@_extern(c, "__llvm_profile_reset_counters") private func resetCounters()
@_extern(c, "__llvm_profile_set_filename") private func setFile(_ name: UnsafePointer<CChar>)
@_extern(c, "__llvm_profile_write_file") private func writeCounters() -> Int32

/// Usage: walker DOCUMENT PROFILE [flush]. With `flush`, the walk ends before the first sync of data.
@main
private enum Walker {
  static func main() async throws {
    let arguments = CommandLine.arguments
    let endsAtFlush = arguments.contains("flush")
    let isWalking = Atomic(false)
    let disk = CountingDisk(
      PosixDisk(),
      before: { event in
        guard endsAtFlush, event.operation == .synchronizeData, isWalking.load(ordering: .relaxed) else {
          return
        }
        end(arguments[2])
      })
    let url = URL(filePath: arguments[1])
    let document = Document<ImageNotes>(fileURL: url, on: StorageEnvironment(disk))
    try await document.open()
    // The first edit looks at types, and the first save opens the hidden folder: the walk is that of any later one.
    try await document.edit { $0.text += "first\n" }
    try await document.save()
    try await Task.sleep(for: .seconds(1))
    resetCounters()
    isWalking.store(true, ordering: .relaxed)
    try await document.edit { $0.text += "second\n" }
    try await document.save()
    // Publishing, the new baseline and the mark in the log come in turns of their own.
    try await Task.sleep(for: .seconds(1))
    end(arguments[2])
  }

  private static func end(_ profile: String) -> Never {
    profile.withCString { setFile($0) }
    exit(writeCounters())
  }
}
