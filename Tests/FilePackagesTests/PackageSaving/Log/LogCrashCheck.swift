import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage
import TestSupport

/// A check of saves in place on a disk that crashes, one after the other, in every state that a power cut may leave.
struct LogCrashCheck {
  static let path: FilePath = "/Trip.pkg"

  var states = 0
  /// The states that were checked, which the check skips.
  private var seen: Set<Seen> = []
  /// Descriptions of the states that were not whole.
  var bad: [String] = []
  /// Whether to stop at the first problem, which is enough to show that the check can fail.
  var stopsAtFirst = false
  /// Whether programs without this library must find whole files as well.
  var checksNaive = true
  /// Whether the models come from saving the same edits on another disk.
  var modelsAreOthers = false
  var syncPoints: [CrashDisk.SyncPoint] = []

  private struct Seen: Hashable {
    let disk: PackagePicture
    let promised: Int
  }

  /// Checks one state of the disk.
  ///
  /// - Parameters:
  ///   - models: the states that programs may find: one of these, whole.
  ///   - promised: the number of acknowledged saves: programs find the model of that number or a later one.
  mutating func check(
    _ mounted: CrashDisk, _ models: [NaturalPicture], promised: Int, _ place: () -> String
  ) async throws {
    states += 1
    guard seen.insert(Seen(disk: try PackagePicture(of: "/", on: mounted), promised: promised)).inserted
    else {
      return
    }
    func report(_ words: String) { bad.append("\(place()): \(words)") }
    if checksNaive {
      let naive = try picture(mounted)
      for (name, entry) in naive.entries where !models.contains(where: { $0.entries[name] == entry }) {
        return report("before recovery '\(name)' is neither old nor new: \(entry)")
      }
    }
    do {
      let store = try await PackageStore.open(Self.path, on: mounted, logCapacity: 24 << 10)
      let found = try picture(mounted)
      guard let number = models.lastIndex(of: found), number >= promised else {
        let best = models[min(promised, models.count - 1)]
        let next =
          models.last == best
          ? "" : "\nor, from the last,\n\(models[models.count - 1].differences(in: found))"
        return report("no state from \(promised) on\n\(best.differences(in: found))\(next)")
      }
      if let damage = await store.logDamage { return report("\(damage)") }
      if let metadata = try await store.metadata() {
        let summary = try await ContentSummary(reading: store.tree.snapshot())
        guard metadata.contentDigest == summary.digest.hexadecimal else {
          return report("the digest in the metadata is another one")
        }
      }
      if stopsAtFirst { return }
      try await store.saveAndClose("After.txt", "after the crash")
      var next = try NaturalPicture(of: Self.path, on: mounted)
      guard next.entries.removeValue(forKey: "After.txt")?.bytes == Array("after the crash".utf8) else {
        return report("what was saved after the crash is not there")
      }
      if modelsAreOthers { next = next.withoutChance }
      guard next.withoutMetadata == found.withoutMetadata else {
        return report("saving after the crash changed\n\(found.differences(in: next))")
      }
      if let metadata = try await store.metadata() {
        let summary = try await ContentSummary(reading: store.tree.snapshot())
        if metadata.contentDigest != summary.digest.hexadecimal {
          report("after another save the digest in the metadata is another one")
        }
        let hidden = try namesBesideLog(in: Self.path, on: mounted)
        if hidden != [] { report("left in the hidden folder: \(hidden)") }
      } else if try mounted.names(in: Self.path).contains(".docpkg") {
        report("left a trace in another program's package")
      }
      if mounted.openDescriptors > 16 { report("left \(mounted.openDescriptors) descriptors open") }
    } catch {
      report("\(error)")
    }
  }
}

extension LogCrashCheck {
  func picture(_ disk: CrashDisk) throws -> NaturalPicture {
    let picture = try NaturalPicture(of: Self.path, on: disk)
    return modelsAreOthers ? picture.withoutChance : picture
  }
}

/// The state of a package for programs: everything except the hidden folder and the dates of folders and links.
///
/// No save promises those dates.
struct NaturalPicture: Picture, Hashable, Sendable {
  var entries: [String: PackagePicture.Entry] = [:]

  init(of path: FilePath, on disk: any Disk) throws {
    for (name, var entry) in try PackagePicture(of: path, on: disk).entries
    where name != ".docpkg" && !name.hasPrefix(".docpkg/") {
      if entry.kind != .file { entry.modified = .old }
      entries[name] = entry
    }
  }

  /// The picture without the values that differ each time the same edits are saved, or if two saves become one.
  var withoutChance: NaturalPicture {
    var copy = withoutMetadata
    for name in copy.entries.keys {
      copy.entries[name]?.modified = .old
      copy.entries[name]?.mode = 0
    }
    return copy
  }

  var withoutMetadata: NaturalPicture {
    var copy = self
    copy.entries["Metadata.plist"] = nil
    return copy
  }
}
