import DurableIO
import FilePackages
import FoundationEssentials
import Synchronization
import SystemPackage
import TestSupport

/// The outcomes of another save of the same package, which a test tries at chosen moments of the first one.
final class Outcome: Sendable {
  private let found = Mutex<[FilePackageError.Code?]>([])

  var codes: [FilePackageError.Code?] { found.withLock { $0 } }

  func interrupt(_ tree: FileWrapper) {
    let snapshot = tree.changesSnapshot()
    guard let stored = snapshot.root.stored, let status = stored.status else { return }
    var code: FilePackageError.Code?
    do {
      let plan = try SavePlan(saving: snapshot, over: stored.location)
      var staged = StagedSave(plan, at: stored.location, over: .base(status))
      _ = try staged.commit()
    } catch {
      code = error.code
    }
    found.withLock { $0.append(code) }
  }
}
