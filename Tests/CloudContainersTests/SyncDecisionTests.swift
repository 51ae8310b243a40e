import CloudContainers
import Testing

@Suite("The next step for a document")
struct SyncDecisionTests {
  @Test func `loses no edit and no deletion, in any combination`() {
    for local in SyncDecision.Local.allCases {
      for hasBase in [false, true] {
        for head in SyncDecision.Head.allCases {
          let step = SyncDecision(local: local, hasBase: hasBase, head: head)
          let situation = "\(local), base \(hasBase), \(head): \(step)"
          if local == .changed {
            #expect([.upload, .merge].contains(step), "an edit goes up: \(situation)")
          }
          if !hasBase {
            // A document that is not here, and was not known to be here, is a placeholder.
            #expect(step != .delete && step != .removeHere && step != .download, "\(situation)")
          }
          if step == .delete { #expect(local == .absent && head == .same, "\(situation)") }
          if step == .removeHere { #expect(local == .same && head == .deleted, "\(situation)") }
          if step == .download { #expect(local != .changed && head == .newer, "\(situation)") }
          if local == .same, hasBase, head == .same { #expect(step == .nothing) }
        }
      }
    }
  }

  @Test func `lets an edit outlive a deletion on the other side`() {
    #expect(SyncDecision(local: .changed, hasBase: true, head: .deleted) == .upload)
    #expect(SyncDecision(local: .absent, hasBase: true, head: .newer) == .download)
  }
}
