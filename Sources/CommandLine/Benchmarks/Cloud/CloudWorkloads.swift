import FoundationEssentials
import SystemPackage

/// The requests and bytes of the runs so far.
private struct TrafficFigures {
  private var runs: [WireTraffic] = []

  mutating func append(_ traffic: WireTraffic) { runs.append(traffic) }

  /// The medians. An upload of docpkg has two more requests once an hour.
  var figures: [String: Double] {
    var figures: [String: Double] = [:]
    figures[CloudFigure.requests] = Spread(runs.map { Double($0.requests) })?.median
    figures[CloudFigure.sent] = Spread(runs.map { Double($0.bytesSent) })?.median
    figures[CloudFigure.received] = Spread(runs.map { Double($0.bytesReceived) })?.median
    return figures
  }
}

/// The names of the figures of `Measurement.figures`.
enum CloudFigure {
  static let requests = "requests"
  static let sent = "bytesSent"
  static let received = "bytesReceived"
  /// The bytes that were sent for each byte that is new.
  static let perNewByte = "bytesSentPerNewByte"
}

/// Syncs of a workspace, each after one change, or after none.
final class CloudSyncs: Workload {
  private let workspace: CloudWorkspace
  private let content: CloudContent
  private let changes: Bool
  private var traffic = TrafficFigures()
  /// The bytes that are new and that were sent, with those of the first upload.
  private var total: (new: Int, sent: Int)?

  /// - Parameters:
  ///   - workspace: it has the documents, and has synced them.
  ///   - first: the bytes of all documents and the bytes of their upload; nil if the ratio does not matter.
  init(
    _ workspace: CloudWorkspace, _ content: CloudContent, changes: Bool, first: (new: Int, sent: Int)? = nil
  ) {
    (self.workspace, self.content, self.changes, total) = (workspace, content, changes, first)
  }

  var figures: [String: Double] {
    var figures = traffic.figures
    if let total, total.new > 0 { figures[CloudFigure.perNewByte] = Double(total.sent) / Double(total.new) }
    return figures
  }

  func arrange() throws {
    let new = changes ? try workspace.change(content) : 0
    if let new { total?.new += new }
    workspace.startCounting()
  }

  func run() throws { try workspace.sync() }

  func finish() throws {
    let run = try workspace.traffic()
    traffic.append(run)
    total?.sent += run.bytesSent
  }

  func verify() throws { try workspace.verify() }
}

/// First uploads of the same documents, each to a new place.
final class CloudFirstUploads: Workload {
  private let content: CloudContent
  private let make: (Int) throws -> CloudWorkspace
  private var workspace: CloudWorkspace?
  private var traffic = TrafficFigures()
  private var round = 0

  /// - Parameter make: makes an empty workspace for a round.
  init(_ content: CloudContent, make: @escaping (Int) throws -> CloudWorkspace) {
    (self.content, self.make) = (content, make)
  }

  var figures: [String: Double] { traffic.figures }

  func arrange() throws {
    if let last = workspace { try FileManager.default.removeItem(atPath: last.folder.string) }
    let workspace = try make(round)
    (self.workspace, round) = (workspace, round + 1)
    try content.make(in: workspace.folder)
    workspace.startCounting()
  }

  func run() throws { try workspace?.sync() }
  func finish() throws { if let workspace { traffic.append(try workspace.traffic()) } }
  func verify() throws { try workspace?.verify() }
}

/// New machines that list all documents of a container.
final class CloudListings: Workload {
  private let commands: CloudCommands
  private let proxy: CountingProxy?
  private let folder: FilePath
  private let name: String
  private let count: Int
  private var traffic = TrafficFigures()
  private var begin = WireTraffic()

  /// - Parameters:
  ///   - name: the place in the store of a container with `count` documents.
  ///   - folder: the path for the new machine's folder.
  init(
    _ commands: CloudCommands, _ proxy: CountingProxy?, _ name: String, at folder: FilePath, count: Int
  ) {
    (self.commands, self.proxy, self.name) = (commands, proxy, name)
    (self.folder, self.count) = (folder, count)
  }

  var figures: [String: Double] { proxy == nil ? [:] : traffic.figures }

  private var list: FilePath { FilePath(folder.string + ".json") }

  func arrange() throws {
    if FileManager.default.fileExists(atPath: folder.string) {
      try FileManager.default.removeItem(atPath: folder.string)
    }
    begin = proxy?.traffic ?? WireTraffic()
  }

  func run() throws {
    try commands.add(folder, to: name)
    try commands.cloud(["sync", folder.string, "--quiet"])
    try commands.cloud(["list", folder.string, "--json"], output: list)
  }

  func finish() throws { if let proxy { traffic.append(proxy.traffic - begin) } }

  func verify() throws {
    struct Item: Decodable { var downloadingStatus: String }
    let items = try JSONDecoder().decode([Item].self, from: Data(contentsOf: URL(filePath: list.string)))
    guard items.count == count, items.allSatisfy({ $0.downloadingStatus == "notDownloaded" }) else {
      throw WrongContents(description: "\(items.count) documents were listed, but there are \(count)")
    }
  }
}
