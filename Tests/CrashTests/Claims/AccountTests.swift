import FilePackages
import Foundation
import TestSupport
import Testing

@Suite("The account of a command whose system calls fail")
struct AccountTests {
  private static let old = Scene(documents: ["T": DocumentSight(texts: ["Text.txt": "old"])])
  private static let new = Scene(documents: [
    "T": DocumentSight(texts: ["Text.txt": "new"], versions: [UUID(): ["Text.txt": "old"]])
  ])
  private static let states = [old, new]

  private func kinds(
    _ status: Int32, _ errors: String, _ found: Scene, isVisible: Bool = true, output: String = ""
  ) -> [Lie.Kind] {
    return Account(status, output, errors).lies(Self.states, found: found, isVisible: isVisible).map(\.kind)
  }

  @Test func `is true if the disk has the state that it claims`() {
    #expect(kinds(0, "", Self.new) == [])
    #expect(kinds(2, "It could not be saved: no. The document on disk is unchanged.", Self.old) == [])
    for state in Self.states {
      #expect(kinds(2, "It is whole, in its old state or in its new one; look at it.", state) == [])
    }
    #expect(
      kinds(0, "docpkg: warning: saved; not yet visible to other programs: no", Self.new, isVisible: false)
        == [])
  }

  @Test func `is a lie if the disk has another state`() {
    #expect(kinds(0, "", Self.old) == [.state])
    #expect(kinds(2, "The document on disk is unchanged.", Self.new) == [.state])
    #expect(kinds(2, "It could not be closed. All saves are durable.", Self.new) == [.state])
    #expect(kinds(0, "", Scene(documents: ["T": DocumentSight(texts: [:])])) == [.mixed])
    #expect(kinds(139, "", Self.old) == [.ended])
    #expect(kinds(0, "", Self.new, isVisible: false) == [.invisible])
  }

  @Test func `of a killed command allows either state, and nothing else`() {
    for state in Self.states { #expect(kinds(137, "", state, isVisible: false) == []) }
    #expect(kinds(137, "", Scene(documents: ["T": DocumentSight(texts: [:])])) == [.mixed])
  }

  @Test func `is a lie if a version is lost or 'verify' finds damage`() {
    var (lost, damaged) = (Self.new, Self.new)
    lost.documents["T"]?.versions = [:]
    damaged.documents["T"]?.problems = ["missing: Text.txt of 32F2E975"]
    #expect(kinds(0, "docpkg: warning: saved; the session did not end", lost) == [.versions])
    #expect(kinds(0, "", damaged) == [.damage])
    // A thinning that fails says how many versions went.
    let states = [Self.new, lost]
    let refused = Account(2, "", "It failed. The document on disk is unchanged.")
    #expect(refused.lies(states, found: lost, isVisible: true).map(\.kind) == [.state])
    let told = Account(
      2, "", "It failed. 1 version was removed from its history; otherwise the document on disk is unchanged."
    )
    #expect(told.lies(states, found: lost, isVisible: true).isEmpty)
  }
}
