import DurableIO
import FilePackages
import FoundationEssentials
import Glibc
import SystemPackage
import TestSupport
import Testing

@Suite("A package that an attacker made", .tags(.scale), .serialized, .temporaryDirectory)
struct HostileLogTests {
  private typealias Preparation = (HostilePackage) throws -> Void

  /// Calls every operation on a package, and returns the results and errors as text.
  private static func use(_ path: FilePath, on disk: any Disk) async -> String {
    var said: [String] = []
    func attempt(_ name: String, _ body: () async throws -> String?) async {
      do {
        if let words = try await body() { said.append("\(name): \(words)") }
      } catch let error as FilePackageError {
        said.append("\(name): \(error.code) (\(error.reason ?? "-"))")
      } catch {
        said.append("\(name): untyped \(error)")
      }
    }
    await attempt("recover") { "\(try PackageStore.recoveryReport(path, on: disk).log)" }
    await attempt("open") {
      let store = try await PackageStore.open(path, on: disk, logCapacity: 8 << 10)
      if let damage = await store.logDamage { said.append("open: \(damage.reason ?? "-")") }
      if let problem = await store.unpublishedProblem { said.append("open: waits, \(problem.reason ?? "-")") }
      await attempt("verify") { try await store.verify().log }
      await attempt("repair") { try await store.repair(dryRun: true).putLogAside ? "aside" : nil }
      await attempt("save") {
        try await store.put("Mine.txt", "mine")
        return "\(try await store.save().isPublished ? "saved" : "committed")"
      }
      await attempt("close") {
        try await store.close()
        return nil
      }
      return nil
    }
    return said.joined(separator: "; ")
  }

  private static func run(_ cases: [(String, Preparation)]) async throws {
    for (name, prepare) in cases {
      try await withScratch { scratch in
        let package = try HostilePackage(in: scratch)
        try prepare(package)
        let before = try package.canary()
        let disk = CountingDisk(PosixDisk())
        let said = await use(package.path, on: disk)
        let counts = disk.counts
        let after = try package.canary()
        #expect(before == after, "\(name): \(before.differences(in: after))")
        #expect(!said.contains("untyped"), "\(name): \(said)")
        #expect(counts.total < 30_000 && counts.bytesRead < 1 << 20, "\(name): \(counts)")
        #expect(
          try package.scratch.names().filter { !$0.string.hasPrefix(".") } == ["Outside", "Trip.pkg"],
          "\(name)")
      }
    }
  }

  private static func path(_ name: String, _ names: [FileName]) -> (String, Preparation) {
    ("a path \(name)", { try $0.writeLog($0.log([$0.put(names)])) })
  }

  private static func rows(
    _ name: String, sequence: UInt64 = 1, applied: UInt64 = 0,
    _ rows: @escaping (HostilePackage) throws -> [Change]
  ) -> (String, Preparation) {
    (name, { try $0.writeLog($0.log(rows($0), sequence: sequence, applied: applied)) })
  }

  @Test(.timeLimit(.minutes(60)))
  func `reaches nothing outside by a path in its log`() async throws {
    let nul = FileName(bytes: [0x61, 0, 0x62])
    let empty = FileName(bytes: [])
    try await Self.run([
      Self.path("up", ["..", "Outside", "secret.txt"]),
      Self.path("up from within", ["Images", "..", "..", "x"]),
      Self.path("of a dot", ["Images", ".", "x"]), Self.path("from the root", [empty, "etc", "x"]),
      Self.path("with no name in it", ["Images", empty, "x"]),
      Self.path("that ends in none", ["Images", empty]),
      Self.path("with NUL", [nul]), Self.path("to the lock", [".docpkg", "lock"]),
      Self.path("to the folder of ours", [".docpkg"]), Self.path("to staged files", [".docpkg", "tmp", "x"]),
      Self.path("to the package", []), Self.path("of 300 names", Array(repeating: "d", count: 300)),
      Self.path("of 150 names", Array(repeating: "d", count: 150)),
      Self.path("of a long name", [FileName(bytes: Array(repeating: 0x61, count: 300))]),
      Self.path("to the metadata", ["Metadata.plist"]), Self.path("within it", ["Metadata.plist", "x"]),
      Self.path("through a link", ["Link", "new.txt"]),
      Self.path("through a link to a file", ["Link", "secret.txt"]),
      Self.path("through a file", ["Text.txt", "x"]),
      Self.rows("a file in the place of a link") { [$0.put(["Link"], old: try $0.known(["Link"]))] },
      Self.rows("a link removed") { [try $0.remove(["Link"])] },
      Self.rows("a file behind a link removed") { [try $0.remove(["Link", "secret.txt"])] },
      Self.rows("a folder behind a link opened to all") {
        [$0.setMode(0o7777, "Link"), $0.setMode(0o7777, "Link/folder")]
      },
      Self.rows("a link out that is put") {
        [$0.put(["Out"], bytes: "../Outside", kind: .symbolicLink), $0.put(["Out", "x"])]
      },
      Self.rows("a folder that is moved away") { [try $0.remove(["Images"]), $0.put(["Images", "1.png"])] },
    ])
  }

  @Test(.timeLimit(.minutes(60)))
  func `reaches nothing outside by a staged name`() async throws {
    let staging = "Trip.pkg/.docpkg/tmp"
    func with(_ name: String, _ bytes: String?, _ make: @escaping (HostilePackage) throws -> Void)
      -> (String, Preparation)
    {
      (
        "a staged name that is \(name)\(bytes == nil ? "" : ", with bytes")",
        {
          try make($0)
          try $0.writeLog(
            $0.log([
              $0.put(["A.txt"], bytes: bytes),
              $0.put(["Text.txt"], bytes: bytes, old: $0.known(["Text.txt"])),
            ]))
        }
      )
    }
    var cases: [(String, Preparation)] = []
    let (staged, other) = (HostilePackage.staged, FileName(HostilePackage.staged.string + "+"))
    for bytes in ["hostile", nil] {
      cases += [
        with("a link", bytes) { try $0.link(staged, in: staging, to: "../../../Outside/secret.txt") },
        with("a link to a folder", bytes) { try $0.link(staged, in: staging, to: "../../../Outside") },
        with("a FIFO", bytes) { try $0.fifo(staged, in: staging) },
        with("a folder", bytes) { try $0.directory(staged, in: staging) },
        with("a device", bytes) { package in
          try package.replace(staged, in: staging) { _ in
            // If that is not permitted, nothing is staged.
            _ = mknod(package.scratch.path("\(staging)/\(staged.string)").string, S_IFCHR | 0o600, 0x103)
          }
        },
        with("missing", bytes) { try $0.replace(staged, in: staging) { _ in } },
        with("whole, and its second name a FIFO", bytes) { try $0.fifo(other, in: staging) },
        with("missing, and its second name a folder", bytes) {
          try $0.replace(staged, in: staging) { _ in }
          try $0.directory(other, in: staging)
        },
        with("missing, and its second name a link", bytes) {
          try $0.replace(staged, in: staging) { _ in }
          try $0.link(other, in: staging, to: "../../../Outside/secret.txt")
        },
      ]
    }
    try await Self.run(cases)
  }

  @Test(.timeLimit(.minutes(60)))
  func `reaches nothing outside by its hidden folder`() async throws {
    let hidden = "Trip.pkg/.docpkg"
    func waiting(_ name: String, _ make: @escaping (HostilePackage) throws -> Void) -> (String, Preparation) {
      (
        name,
        { package in
          // Text.txt differs from the record, so that recovery sets one file aside.
          let time = FileTime(seconds: 1, nanoseconds: 0)
          let old = Entry(.file, NodeAttributes(mode: 0o644, modeIsExact: true, modified: time), size: 1)
          try package.writeLog(package.log([package.put(["Text.txt"], old: old), package.put(["New.txt"])]))
          try make(package)
        }
      )
    }
    var cases: [(String, Preparation)] = [
      waiting("tmp is a link") { try $0.link("tmp", in: hidden, to: "../../Outside/tmp") },
      waiting("tmp is a file") { package in
        try package.replace("tmp", in: hidden) { try package.disk.makeFile("tmp", [1], in: $0) }
      },
      waiting("conflicts is a link") { try $0.link("conflicts", in: hidden, to: "../../Outside") },
      waiting("conflicts is a FIFO") { try $0.fifo("conflicts", in: hidden) },
      ("the hidden folder is a link", { try $0.link(".docpkg", in: "Trip.pkg", to: "../Outside") }),
      ("the hidden folder is a FIFO", { try $0.fifo(".docpkg", in: "Trip.pkg") }),
      ("the metadata is a FIFO", { try $0.fifo("Metadata.plist", in: "Trip.pkg") }),
      (
        "the metadata is a link",
        { try $0.link("Metadata.plist", in: "Trip.pkg", to: "../Outside/secret.txt") }
      ),
    ]
    for name: FileName in ["log", "lock", "log.new"] {
      cases += [
        waiting("\(name.string) is a FIFO") { try $0.fifo(name, in: hidden) },
        waiting("\(name.string) is a folder") { try $0.directory(name, in: hidden) },
        waiting("\(name.string) is a link") {
          try $0.link(name, in: hidden, to: "../../Outside/\(name.string)")
        },
        waiting("\(name.string) is a link to nothing") {
          try $0.link(name, in: hidden, to: "../../Outside/new")
        },
      ]
    }
    // The folders are deeper than any package, and more than there are descriptors.
    cases.append(
      waiting("staged folders without end") { package in
        var folder = try package.folder("\(hidden)/tmp")
        for _ in 0..<2000 {
          try package.disk.makeDirectory("d", in: folder, mode: 0o755)
          folder = try package.disk.openDirectory("d", in: folder)
        }
      })
    try await Self.run(cases)
  }

  @Test(.timeLimit(.minutes(60)))
  func `believes no number`() async throws {
    func changed(_ name: String, at offset: Int, _ value: UInt64) -> (String, Preparation) {
      (
        name,
        { package in
          var bytes = try package.log([package.put(["New.txt"])])
          for index in 0..<8 { bytes[offset + index] = UInt8(truncatingIfNeeded: value >> UInt64(index * 8)) }
          try package.writeLog(bytes)
        }
      )
    }
    var cases: [(String, Preparation)] = []
    for value: UInt64 in [1 << 63, .max, 1 << 62, UInt64(Int64.max), 1 << 31, 1 << 40] {
      cases += [
        changed("a body of \(value)", at: 4096 + 16, value),
        changed("contents of \(value)", at: 4096 + 24, value),
        Self.rows("a size of \(value)") {
          [$0.put(["a"], size: value), $0.put(["b"], bytes: nil, size: value)]
        },
        Self.rows("a record numbered \(value)", sequence: value, applied: value - 1) { [$0.put(["a"])] },
        Self.rows("a published record \(value)", sequence: value, applied: value) { [$0.put(["a"])] },
        Self.rows("published up to \(value)", applied: value) { [$0.put(["a"])] },
        Self.rows("\(value) seconds") { [$0.put(["a"], seconds: Int64(bitPattern: value))] },
        (
          "\(value) rows",
          { try $0.writeLog($0.log([1, 2, 3], [], Int(truncatingIfNeeded: value & 0xFFFF_FFFF))) }
        ),
      ]
    }
    try await Self.run(cases)
  }

  @Test func `gives nothing more rights than a document has`() async throws {
    let package = try HostilePackage(in: scratch)
    try package.writeLog(package.log([package.put(["evil"], mode: 0o6755)], isBound: false))
    _ = await Self.use(package.path, on: PosixDisk())
    if let status = try? scratch.status("Trip.pkg/evil") { #expect(status.mode & 0o6000 == 0) }
  }

  enum Copy: String, CaseIterable {
    case archive = "cp -a", plain = "cp -r", edited = "cp -r, edited", cut = "cp -r, without staged files"
  }

  @Test(arguments: Copy.allCases, [false, true])
  func `is carried out in a copy if the content proves it, and only then`(copy: Copy, hasMetadata: Bool)
    async throws
  {
    try scratch.make("Trip.pkg", ["Text.txt": "old", "Gone.txt": "going", "Same.txt": "same"])
    if hasMetadata {
      let store = try await PackageStore.open(scratch.path("Trip.pkg"), on: PosixDisk())
      try await store.startKeepingHistory()
      try await store.close()
    }
    let large = String(repeating: "large ", count: 200_000)
    let disk = CountingDisk(PosixDisk()) { event throws(SystemError) in
      if event.operation == .exchange { throw SystemError("renameat2", event.name, code: .ioError) }
    }
    let store = try await PackageStore.open(scratch.path("Trip.pkg"), on: disk)
    try await store.edit([
      .put("Text.txt", "new"), .remove("Gone.txt"), .put("New.txt", "added"), .put("Large.txt", large),
    ])
    #expect(try await store.save().isPublished == false)
    let from = scratch.path("Trip.pkg").string
    #expect(system("cp \(copy == .archive ? "-a" : "-r") '\(from)' '\(from).copy'") == 0)
    switch copy {
    case .edited: try scratch.overwrite("Trip.pkg.copy/Text.txt", "edited")
    case .cut: #expect(system("rm '\(from).copy'/.docpkg/tmp/*") == 0)
    default: break
    }
    let path = scratch.path("Trip.pkg.copy")
    let before = try NaturalPicture(of: path, on: PosixDisk())
    let found = try await PackageStore.open(path, on: PosixDisk())
    let after = try NaturalPicture(of: path, on: PosixDisk()).entries.mapValues {
      String(decoding: $0.bytes.prefix(100), as: UTF8.self)
    }
    let damage = await found.logDamage
    if damage != nil {
      #expect(try NaturalPicture(of: path, on: PosixDisk()) == before)
    } else {
      #expect(after["Text.txt"] == "new" && after["New.txt"] == "added" && after["Gone.txt"] == nil)
      #expect(after["Large.txt"] == String(large.prefix(100)) && after["Same.txt"] == "same")
    }
    if copy == .edited { #expect(damage != nil) }
    // Without digests, nothing proves what a removed child was. With them, no child needs a staged file any more.
    if copy != .edited { #expect((damage == nil) == hasMetadata) }
  }

  @Test(.timeLimit(.minutes(60)))
  func `needs no memory for what a log only claims`() async throws {
    let package = try HostilePackage(in: scratch)
    let size = 60 << 20
    // As many of the smallest rows as fit.
    let smallest = with(Change(.root)) { $0.work = .attributes }
    let head = try package.record([]).encodedBody()
    let one = try Array(package.record([smallest]).encodedBody().dropFirst(head.count))
    var many = head
    many.reserveCapacity(size + head.count)
    for _ in 0..<(size / one.count) { many += one }
    // The log claims as many rows as there are, and more.
    for count in [size / one.count, 1 << 22] {
      try package.writeLog(package.log(many, [], count))
      let before = Self.peak()
      let store = try await PackageStore.open(package.path, on: PosixDisk())
      #expect(await store.logDamage != nil)
      let grown = Self.peak() - before
      #expect(grown < 6 * size)
    }
  }

  /// Returns the peak memory of this process, in bytes.
  private static func peak() -> Int {
    guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
      let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") })
    else { return 0 }
    return (Int(line.filter(\.isNumber)) ?? 0) << 10
  }
}
