import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

@Suite("A committed save whose staged files are damaged", .tags(.crash))
struct StagedDamageTests {
  enum Damage: CaseIterable {
    case missing, empty, cut, flipped, replaced, folder, link

    func act(_ name: FileName, in folder: FilePath, on disk: any Disk) throws {
      let directory = try disk.openDirectory(at: folder)
      switch self {
      case .missing: try disk.removeFile(name, in: directory)
      case .empty: try disk.damage(name, in: folder) { $0 = [] }
      case .cut: try disk.damage(name, in: folder) { $0.removeLast() }
      case .flipped: try disk.damage(name, in: folder) { $0[$0.count / 2] ^= 1 }
      case .replaced: try disk.rewrite(name, Array("something else".utf8), in: folder)
      case .folder:
        try disk.removeFile(name, in: directory)
        try disk.makeDirectory(name, in: directory, mode: 0o755)
      case .link:
        try disk.removeFile(name, in: directory)
        try disk.makeSymbolicLink(to: Array("/etc/passwd".utf8), named: name, in: directory)
      }
    }
  }

  @Test func `is carried out or reported, and never half`() async throws {
    // Recovery looks at every staged file before it touches the package (P5).
    let large = String(repeating: "large ", count: 200_000)
    let save = try await WaitingSave(
      ["Text.txt": "old", "Large.txt": "old and large"], metadata: true,
      [.put("Text.txt", "new"), .put("Large.txt", large), .folder("New"), .put("New/x.txt", large + "x")])
    var (new, reported) = (0, 0)
    let staging = WaitingSave.hidden.appending("tmp")
    for name in try save.beforeExchange().names(in: staging) {
      for damage in Damage.allCases {
        let disk = save.beforeExchange()
        try damage.act(FileName(name), in: staging, on: disk)
        let store = try await WaitingSave.open(on: disk)
        let found = try NaturalPicture(of: WaitingSave.path, on: disk)
        let report = try await store.verify()
        if await store.logDamage != nil {
          #expect(found == save.old, "\(name) \(damage): \(save.old.differences(in: found))")
          #expect(report.log != nil)
          reported += 1
        } else {
          #expect(report.isAsSaved, "\(name) \(damage): \(report)")
          #expect(found == save.new, "\(name) \(damage): \(save.new.differences(in: found))")
          new += 1
        }
      }
    }
    #expect(new > 0 && reported > 0)
  }
}
