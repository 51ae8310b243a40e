import DurableIO
import FilePackages
import FoundationEssentials
import Synchronization
import SystemPackage

/// This process's entry in the coordination folder: one file and one socket for all its presenters.
///
/// The process makes the file for its first presenter and removes it after its last one. The file grows by a few bytes
/// for each presenter. The socket exists before the file has its name, so that other processes can always connect.
final class PresenterRegistration: Sendable {
  let file: LockedFile
  let listener: PresenterListener
  private let folder: CoordinationFolder
  private let count = Mutex(0)

  /// - Parameter answer: receives each connection of another process.
  init(
    in folder: CoordinationFolder, _ answer: @escaping @Sendable (Connection) -> Void
  ) throws(SystemError) {
    var listener: PresenterListener?
    file = try LockedFile.make(Records.line(FileAccessHolder.present), in: folder.presenters, on: folder.disk)
    {
      name throws(SystemError) in
      let socket = try LocalSocket.listen(name.appending(Self.suffix), in: folder.presenters)
      listener = PresenterListener(socket, answer)
    }
    guard let listener else { throw SystemError("listen", code: .invalidArgument) }
    (self.listener, self.folder) = (listener, folder)
  }

  static let suffix = ".socket"

  /// A presenter that begins to present a place; or ends, if there is none.
  fileprivate struct Record: Codable {
    var number: UInt64
    var place: ItemPlace?
    var isPackage = false
  }

  /// The number of records in the file.
  var records: Int { count.withLock { $0 } }

  func add(_ number: UInt64, _ place: ItemPlace, isPackage: Bool) throws(SystemError) {
    try append(.init(number: number, place: place, isPackage: isPackage))
  }

  func remove(_ number: UInt64) throws(SystemError) {
    try append(.init(number: number))
  }

  private func append(_ record: Record) throws(SystemError) {
    try file.append(Records.line(record))
    count.withLock { $0 += 1 }
  }

  func end() {
    file.remove(from: folder.presenters)
    // If this fails, another process removes the socket.
    try? folder.disk.removeFile(file.name.appending(Self.suffix), in: folder.presenters)
    listener.end()
  }
}

/// Another process that has presenters.
///
/// The files alone say which presenters an access concerns. A process that does not answer holds up only accesses of
/// items that it presents.
struct PresenterProcess: Sendable {
  var name: FileName
  var holder: FileAccessHolder
  var places: [UInt64: (place: ItemPlace, isPackage: Bool)]

  /// Returns the presenters that the access asks.
  func numbers(concernedBy request: AccessRequest) -> Set<UInt64> {
    Set(places.filter { request.concern($0.value.place, isPackage: $0.value.isPackage) == .asked }.keys)
  }

  /// Returns whether the access asks or tells one of the presenters.
  func isConcerned(by request: AccessRequest) -> Bool {
    places.values.contains { request.concern($0.place, isPackage: $0.isPackage) != .none }
  }

  func connect(in folder: CoordinationFolder) throws(SystemError) -> Connection {
    let name = name.appending(PresenterRegistration.suffix)
    return try Connection(LocalSocket.connect(to: name, in: folder.presenters))
  }

  /// Returns all other living processes, and removes files of processes that ended.
  static func all(
    in folder: CoordinationFolder, except own: FileName?
  ) throws(SystemError) -> [PresenterProcess] {
    let disk = folder.disk
    var processes: [PresenterProcess] = []
    for name in try disk.names(in: folder.presenters) {
      let (stem, suffix) = name.parts
      if stem == own { continue }
      if suffix != nil {
        // A process makes the file before its socket, at first under a hidden name. If the removal fails, the next
        // look tries it again.
        if try !disk.exists(stem.hidden, in: folder.presenters), try !disk.exists(stem, in: folder.presenters)
        {
          // The next look tries it again.
          try? disk.removeFile(name, in: folder.presenters)
        }
        continue
      }
      guard let file = try FoundFile.open(name, in: folder.presenters, on: disk),
        try file.isAlive(in: folder.presenters), !name.isHidden,
        let process = PresenterProcess(name, try file.bytes())
      else { continue }
      processes.append(process)
    }
    return processes
  }

  /// Makes a process from its file, up to a record that is not complete yet.
  init?(_ name: FileName, _ bytes: [UInt8]) {
    var records = Records(bytes)
    guard let holder = records.next(FileAccessHolder.self) else { return nil }
    (self.name, self.holder, places) = (name, holder, [:])
    while let record = records.next(PresenterRegistration.Record.self) {
      places[record.number] = record.place.map { ($0, record.isPackage) }
    }
  }
}
